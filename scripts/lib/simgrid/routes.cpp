// Prints the routes of SimGrid between all hosts of a platform file: routes PLATFORM.xml
//
// First a line for each link on a route: its number, its bandwidth in bytes/s ("fat" if messages do
// not slow each other down there) and its latency in seconds. Then a line for each host: the routes
// to all hosts in the order of the lines, separated by semicolons, each the numbers of its links.

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

using simgrid::s4u::Host;
using simgrid::s4u::Link;

int main(int count, char** words)
{
    simgrid::s4u::Engine engine(&count, words);
    engine.load_platform(words[1]);
    engine.seal_platform();

    std::map<const Link*, size_t> numbers;
    std::vector<const Link*> links;
    std::string rows;
    for (const Host* from : engine.get_all_hosts()) {
        rows += from->get_name() + ": ";
        for (const Host* to : engine.get_all_hosts()) {
            std::vector<Link*> route;
            double latency = 0;
            if (from != to)
                from->route_to(to, route, &latency);
            const char* separator = "";
            for (const Link* link : route) {
                auto [entry, is_new] = numbers.try_emplace(link, links.size());
                if (is_new)
                    links.push_back(link);
                rows += separator + std::to_string(entry->second);
                separator = ",";
            }
            rows += ";";
        }
        rows += "\n";
    }
    for (const Link* link : links) {
        const std::string number = std::to_string(numbers[link]);
        if (link->get_sharing_policy() == Link::SharingPolicy::FATPIPE)
            std::printf("link %s fat %.12g\n", number.c_str(), link->get_latency());
        else
            std::printf("link %s %.12g %.12g\n", number.c_str(), link->get_bandwidth(), link->get_latency());
    }
    std::fputs(rows.c_str(), stdout);
}
