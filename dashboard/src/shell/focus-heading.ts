const PATIENCE_MS = 10_000;

let stop = (): void => {};

/**
 * Moves the focus to the heading of the page, which may still have to be loaded, while that of the page before is still there; unless people
 * have moved on by then.
 */
export function focusHeading(): void {
  stop();
  const main = document.getElementById('main');
  if (main === null) return;
  main.focus({ preventScroll: true });
  const find = (): void => {
    const focused = document.activeElement;
    if (focused instanceof HTMLHeadingElement && main.contains(focused)) return;
    if (focused !== main && focused !== document.body) {
      stop();
      return;
    }
    const heading = main.querySelector('h1');
    if (heading === null) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(find);
  observer.observe(main, { childList: true, subtree: true });
  const timer = window.setTimeout(() => stop(), PATIENCE_MS);
  stop = () => {
    observer.disconnect();
    window.clearTimeout(timer);
  };
  find();
}
