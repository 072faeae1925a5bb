// Seconds that sets of flows take on a platform of SimGrid's: flows PLATFORM.xml CASE
//
// CASE is text: "phase NAME" begins a set, and every line "FROM TO BYTES" after it is a flow from
// host to host. The flows of a set start together and share links by max-min fairness; a set starts
// when the set before it has ended. Prints "NAME SECONDS BUSIEST" for each set; BUSIEST is the
// number of seconds that the busiest link alone needs, by the simulator's own routes.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

struct Flow {
    sg4::Host* from;
    sg4::Host* to;
    double bytes;
};

struct Phase {
    std::string name;
    std::vector<Flow> flows;
};

static std::vector<Phase> read_case(const sg4::Engine& engine, const char* path)
{
    std::ifstream file(path);
    std::vector<Phase> phases;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string first, second;
        double bytes = 0;
        words >> first >> second;
        if (first == "phase")
            phases.push_back({second, {}});
        else if (words >> bytes && !phases.empty())
            phases.back().flows.push_back({engine.host_by_name(first), engine.host_by_name(second), bytes});
        else
            throw std::runtime_error("no phase and no flow: " + line);
    }
    return phases;
}

static double busiest(const std::vector<Flow>& flows)
{
    std::map<const sg4::Link*, double> seconds;
    double most = 0;
    for (const Flow& flow : flows) {
        std::vector<sg4::Link*> route;
        double latency = 0;
        flow.from->route_to(flow.to, route, &latency);
        for (const sg4::Link* link : route)
            most = std::max(most, seconds[link] += flow.bytes / link->get_bandwidth());
    }
    return most;
}

static void simulate(const std::vector<Phase>& phases)
{
    for (const Phase& phase : phases) {
        const double began = sg4::Engine::get_clock();
        std::vector<sg4::CommPtr> running;
        for (const Flow& flow : phase.flows) {
            auto comm = sg4::Comm::sendto_init(flow.from, flow.to);
            comm->set_payload_size(static_cast<uint64_t>(flow.bytes));
            comm->start();
            running.push_back(comm);
        }
        sg4::Comm::wait_all(running);
        const double seconds = sg4::Engine::get_clock() - began;
        std::printf("%s %.9g %.9g\n", phase.name.c_str(), seconds, busiest(phase.flows));
    }
}

int main(int count, char** words)
{
    sg4::Engine engine(&count, words);
    if (count != 3) {
        std::cerr << "usage: flows PLATFORM.xml CASE\n";
        return 2;
    }
    engine.load_platform(words[1]);
    const std::vector<Phase> phases = read_case(engine, words[2]);
    sg4::Actor::create("judge", engine.get_all_hosts().front(), [&phases] { simulate(phases); });
    engine.run();
}
