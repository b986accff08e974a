import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

/** More places than any view has. */
const MOST_TABS = 150;

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await store(service, 'small', SMALL_CLUSTER);
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const press = (...names: readonly string[]): Promise<void> =>
  names.reduce((before, name) => before.then(() => page.page.keyboard.press(name as 'Tab')), Promise.resolve());

/** What has the focus: its accessible name, as far as a test needs it, and whether it is seen. */
const NAME_OF_FOCUS = `(() => {
  const one = document.activeElement;
  const label = one.labels?.[0]?.innerText ?? '';
  return (one.getAttribute('aria-label') ?? (label || one.innerText || one.title || '')).trim();
})()`;
const focused = async (): Promise<string> => (await page.page.evaluate(NAME_OF_FOCUS)) as string;

/** Goes with Tab, or back with Shift and Tab, until what has the focus has a name that starts like this. */
async function tabTo(name: string, back = false): Promise<void> {
  const passed: string[] = [];
  if (back) await page.page.keyboard.down('Shift');
  try {
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      await press('Tab');
      const now = await focused();
      if (now.startsWith(name)) return;
      passed.push(now);
    }
  } finally {
    if (back) await page.page.keyboard.up('Shift');
  }
  throw new Error(`no Tab leads to ${JSON.stringify(name)}, but to ${JSON.stringify(passed)}`);
}

async function headingHasFocus(path: string): Promise<void> {
  await page.page.waitForFunction(
    `location.pathname.endsWith(${JSON.stringify(path)}) && document.activeElement?.tagName === 'H1' && ` +
      'document.querySelector(".pending") === null',
  );
}

/** To a view by the navigation, which stands before the heading. */
async function goTo(title: string, path: string): Promise<void> {
  await tabTo(title, true);
  await press('Enter');
  await headingHasFocus(`/small/${path}`);
}

describe('by keyboard alone', () => {
  it('one goes from the fleet to a cluster, a node, the matrix and the explorer', async () => {
    await page.open('');
    await page.sees('small');
    await tabTo('Skip to the content');
    await press('Enter');
    await tabTo('small');
    await press('Enter');
    await headingHasFocus('/small/overview');
    await tabTo('2 nodes');
    await press('Enter');
    await page.page.waitForSelector('[role=table][aria-label="Nodes of the group"]');
    await tabTo('b');
    await press('Enter');
    await headingHasFocus('/small/node');
    await page.sees('Node b');
    await goTo('Taint matrix', 'matrix');
    await tabTo('Pods against nodes');
    await press('ArrowDown');
    await goTo('Placement', 'explorer');
    await tabTo('Namespace and name');
    await page.page.keyboard.type('t/db-0');
    await press('Enter');
    await page.sees('Nodes for t/db-0');
    await page.page.waitForFunction('!document.body.innerText.includes("The service is evaluating")');
    expect(page.faults).toEqual([]);
  });

  it('one plans a taint, previews it, and records the intent', async () => {
    await page.page.evaluate('document.querySelector("h1").focus()');
    await goTo('Change taints', 'changes');
    await tabTo('Node names');
    await page.page.keyboard.type('a');
    await tabTo('Taints, as kubectl taint takes them');
    await page.page.keyboard.type('maintenance=now:NoExecute');
    await tabTo('Preview');
    await press('Enter');
    await page.sees('Make it');
    await tabTo('Reason');
    await page.page.keyboard.type('a new kernel');
    await page.page.waitForFunction(
      '[...document.querySelectorAll("button")].some((one) => one.innerText === "Record the intent" && one.ariaDisabled !== "true")',
    );
    await tabTo('Record the intent');
    await press('Enter');
    await page.page.waitForFunction('location.search.includes("change=") && document.activeElement?.tagName === "H1"');
    expect(page.faults).toEqual([]);
    const nodes = await service.request('GET', '/api/v1/clusters/small/nodes?taint=maintenance');
    expect((nodes.at('items') as readonly { readonly name: string }[]).map(({ name }) => name)).toEqual(['a']);
  });

  it('one counts the replicas of a pod size, and groups the overhead', async () => {
    await page.open('clusters/small/capacity');
    await page.sees('replicas of a pod without tolerations fit');
    await page.page.evaluate('const h = document.querySelector("h1"); h.tabIndex = -1; h.focus()');
    await tabTo('large');
    await press('Enter');
    await page.sees('with cpu 4, memory 16Gi');
    // What Tab reaches is selected, so that typing replaces it.
    await tabTo('CPU');
    await page.page.keyboard.type('2');
    await press('Enter');
    await page.sees('with cpu 2, memory 16Gi');
    expect(await focused()).toBe('CPU');
    await tabTo('By');
    await press('ArrowDown');
    await page.page.waitForFunction('location.search.includes("by=namespace")');
    expect(page.faults).toEqual([]);
  });

  it.each([
    ['Pending', 'pending'],
    ['Trail', 'trail'],
    ['Evictions and drains', 'evictions'],
    ['Capacity and quota', 'capacity'],
    ['Upgrade', 'upgrade'],
    ['Cluster', 'overview'],
  ])('one reaches %s, and all that can be focused in it, and never gets stuck', async (title, path) => {
    await page.open('clusters/small/matrix');
    await page.sees('Taint matrix');
    await page.page.waitForSelector('h1');
    await page.page.evaluate('const h = document.querySelector("h1"); h.tabIndex = -1; h.focus()');
    await goTo(title, path);
    const lost = await page.page.evaluate(`(() => {
      const all = [...document.querySelectorAll('main a[href], main button:not(:disabled), main input:not(:disabled), main select, main summary')];
      return all.filter((one) => one.checkVisibility() && one.tabIndex < 0).map((one) => one.outerHTML);
    })()`);
    expect(lost).toEqual([]);
    let inside = 0;
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      await press('Tab');
      const isInside = await page.page.evaluate('document.getElementById("main").contains(document.activeElement)');
      if (isInside !== true) break;
      inside++;
    }
    expect(inside).toBeLessThan(MOST_TABS);
    expect(page.faults).toEqual([]);
  });

  it('a dialog keeps the focus, and returns it', async () => {
    await page.open('clusters/small/trail');
    await page.page.waitForSelector('h1');
    await tabTo('Search');
    await press('Enter');
    await page.page.waitForSelector('dialog[open] input:focus');
    for (let tabs = 0; tabs < 5; tabs++) {
      await press('Tab');
      expect(await page.page.evaluate('document.querySelector("main").contains(document.activeElement)')).toBe(false);
    }
    await press('Escape');
    await page.page.waitForFunction('document.activeElement?.className === "search-open"');
  });
});
