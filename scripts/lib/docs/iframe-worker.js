// Browsers start no worker for a page of file://. There, the search's worker is a hidden frame.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = (this.inside = frame.contentWindow);
      addEventListener("message", (event) => {
        if (event.source !== inside) return;
        const told = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(told);
        this.onmessage?.(told);
      });
      inside.document.open();
      inside.document.write(
        "<script>postMessage = (data) => parent.postMessage(data, '*')</" + "script>" +
          `<script src="${url}"></` + "script>"
      );
      inside.document.close();
      this.ready = new Promise((ready) => (inside.onload = ready));
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
