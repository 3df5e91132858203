// What the page does in the browser itself: focus and pointer on boards, and the choice of light or dark.
(() => {
  const cells = (board) => [...board.querySelectorAll(".cell[tabindex]")];
  const at = (cell) => cell.getAttribute("transform").match(/[\d.]+/g).map(Number);

  // the cell under the pointer lights up: the one in which its stone would land, or all of the block that it belongs to
  document.addEventListener("pointerover", (e) => {
    document.querySelectorAll(".hot").forEach((cell) => cell.classList.remove("hot"));
    const cell = e.target.closest?.(".board .legal, .board .aim");
    if (!cell) return;
    const board = cell.closest(".board"), meant = `[data-action="${cell.dataset.action}"]`;
    const lit = !cell.dataset.action ? [cell] : board.querySelectorAll((board.matches(".drops") ? ".landing" : "") + meant);
    (lit.length ? lit : [cell]).forEach((one) => one.classList.add("hot"));
  });
  // on wide boards, where cells are smaller than a finger, the first tap enlarges what is around it, the second plays
  let byFinger = false;
  document.addEventListener("pointerdown", (e) => { byFinger = e.pointerType === "touch"; }, true);
  document.addEventListener("click", (e) => {
    if (e.target.closest?.(".lens")) return;
    document.querySelectorAll(".lens").forEach((lens) => lens.remove());
    const cell = e.target.closest?.(".board.wide .legal[data-action]");
    if (!cell || !byFinger) return;
    e.stopImmediatePropagation();
    const board = cell.closest(".board"), own = board.getBoundingClientRect(), finger = cell.getBoundingClientRect();
    const side = Math.min(264, own.width), unit = cell.getBBox().width, [x, y] = at(cell);
    const lens = board.cloneNode(true), around = 5.5 * unit;
    lens.classList.remove("wide");
    lens.classList.add("lens");
    lens.setAttribute("aria-hidden", "true");
    lens.querySelectorAll("[tabindex]").forEach((one) => one.removeAttribute("tabindex"));
    lens.setAttribute("viewBox", `${x + unit / 2 - around / 2} ${y + unit / 2 - around / 2} ${around} ${around}`);
    const within = (middle, length) => Math.max(0, Math.min(length - side, middle - side / 2));
    const holder = board.parentElement.getBoundingClientRect();
    Object.assign(lens.style, {
      width: `${side}px`, height: `${side}px`,
      left: `${own.left - holder.left + within(finger.left + finger.width / 2 - own.left, own.width)}px`,
      top: `${own.top - holder.top + within(finger.top + finger.height / 2 - own.top, own.height)}px`,
    });
    board.after(lens);
  }, true);
  // a click leaves the focus where it is, so that the arrow keys still go through the game
  document.addEventListener("mousedown", (e) => { if (e.target.closest?.(".board .cell")) e.preventDefault(); });

  // with the focus on a board, arrow keys go from cell to cell, and Enter or Space play
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  document.addEventListener("keydown", (e) => {
    const cell = e.target.closest?.(".board .cell[tabindex]"), steered = document.querySelector("[data-steered]");
    if (steered && (e.key in steps || e.key.startsWith("Page"))) { // the game's own keys: web/keys.py
      if (!e.target.closest?.("input, textarea, select, [role=slider], [role=dialog]")) e.preventDefault();
      return;
    }
    if (!cell) return;
    if (e.key === "Escape") {
      cell.closest(".board").dispatchEvent(new MouseEvent("click", { bubbles: true })); // drops what was touched
    } else if (e.key === "Enter" || e.key === " ") {
      e.preventDefault(); e.stopPropagation();
      cell.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    } else if (e.key in steps) {
      e.preventDefault(); e.stopPropagation();
      const [dx, dy] = steps[e.key], [x, y] = at(cell);
      const ahead = cells(cell.closest(".board"))
        .map((other) => ({ other, along: (at(other)[0] - x) * dx + (at(other)[1] - y) * dy,
                           aside: Math.abs((at(other)[0] - x) * dy) + Math.abs((at(other)[1] - y) * dx) }))
        .filter(({ along }) => along > 0).sort((a, b) => a.aside - b.aside || a.along - b.along);
      if (ahead.length) ahead[0].other.focus();
    }
  }, true);

  // a board that is drawn anew keeps the focus in the same place
  let focused = null;
  document.addEventListener("focusin", (e) => {
    const cell = e.target.closest?.(".board .cell");
    focused = cell ? { holder: cell.closest(".picture"), where: cell.getAttribute("transform") } : null;
  });
  new MutationObserver(() => {
    if (!focused || document.activeElement !== document.body || !focused.holder?.isConnected) return;
    const all = cells(focused.holder);
    (all.find((cell) => cell.getAttribute("transform") === focused.where) || all[0])?.focus();
  }).observe(document, { childList: true, subtree: true });

  // the link of a table is copied, and it is said for whom it is good; without a clipboard it is shown, to be copied
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const copied = (text) => navigator.clipboard ? navigator.clipboard.writeText(text).then(() => true, () => false) : Promise.resolve(false);
  document.addEventListener("click", async (e) => {
    const button = e.target.closest?.("[data-copy]");
    if (!button) return;
    const link = new URL(button.dataset.copy, location.href).href, words = button.dataset.words;
    const where = local ? " It works on this computer only; for others, start the page with --host 0.0.0.0." : "";
    const place = button.closest("section").querySelector("[data-copied]");
    place.textContent = `${(await copied(link)) ? "Link copied" : `Copy this link: ${link}`}: ${words}.${where}`;
    clearTimeout(place.forgets);
    place.forgets = setTimeout(() => place.textContent = "", 20000);
  });

  // going back from a variation leads to the game that it began in
  window.addEventListener("popstate", (e) => { if (e.state) location.reload(); });

  // a picture as pixels, twice as many as it has of its own
  window.takePixels = (svg, name) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * image.width; canvas.height = 2 * image.height;
      const paper = canvas.getContext("2d");
      paper.drawImage(image, 0, 0, canvas.width, canvas.height);
      const link = document.createElement("a");
      link.download = name; link.href = canvas.toDataURL("image/png"); link.click();
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  };

  window.ponderosa = {
    looks() { // light, dark, or as the system says
      const now = localStorage.getItem("ponderosa-looks") || "auto";
      const next = { auto: "dark", dark: "light", light: "auto" }[now];
      localStorage.setItem("ponderosa-looks", next);
      this.dress();
      return next;
    },
    dress() {
      const wish = localStorage.getItem("ponderosa-looks");
      window.Quasar?.Dark.set(wish === "dark" ? true : wish === "light" ? false : "auto");
    },
  };
  window.addEventListener("load", () => setTimeout(() => window.ponderosa.dress(), 0));
})();
