import chromium from '@sparticuz/chromium';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const run = promisify(execFile);
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** WCAG 2.2 at levels A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const PATIENCE_MS = 30_000;
/** No sandbox, because tests may run as root; no requests of the browser's own. Those of the package are for one page in one process. */
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars'],
];

export type ColorScheme = 'light' | 'dark';

/** A violation of an accessibility rule, with the elements that violate it. */
export interface Violation {
  readonly rule: string;
  readonly elements: readonly string[];
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** A page of the dashboard in a real browser, and everything that goes wrong in it. */
export class DashboardPage {
  /** Errors of the console, exceptions, and requests that failed or went to another host. */
  readonly faults: string[] = [];
  private readonly expected: RegExp[] = [];

  constructor(
    readonly page: Page,
    private readonly origin: string,
    others: readonly string[],
  ) {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warn') this.fault(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.fault(`exception: ${String(error)}`));
    page.on('requestfailed', (request) => {
      // A question that is asked no more is cancelled.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') this.fault(`failed: ${request.url()}`);
    });
    page.on('request', (request) => {
      const url = request.url();
      if (![origin, ...others, 'data:'].some((own) => url.startsWith(own))) this.fault(`another host: ${url}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.fault(`${response.status()}: ${response.url()}`);
    });
  }

  /** From now on, faults like these are no faults: the test brings them about. */
  expectFaults(...like: readonly RegExp[]): void {
    this.expected.push(...like);
  }

  /** Opens a path below the dashboard's root. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/ui/${path}`, { waitUntil: 'domcontentloaded' });
  }

  /** Waits until the page's text contains the given one. */
  async sees(text: string): Promise<void> {
    try {
      await this.page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`);
    } catch (error) {
      const shown = String(await this.page.evaluate('document.body.innerText'));
      throw new Error(`the page does not show ${JSON.stringify(text)} but:\n${shown}\n${this.faults.join('\n')}`, {
        cause: error,
      });
    }
  }

  /** Clicks the element with a role and an accessible name. */
  async click(role: string, name: string): Promise<void> {
    await this.page.locator(`::-p-aria([name=${JSON.stringify(name)}][role="${role}"])`).click();
  }

  /** Writes into the field with an accessible name. */
  async fill(name: string, text: string): Promise<void> {
    await this.page.locator(`::-p-aria([name=${JSON.stringify(name)}])`).fill(text);
  }

  /** What violates WCAG 2.2 AA on the page. */
  async violations(): Promise<readonly Violation[]> {
    await this.page.evaluate(await readFile(AXE, 'utf8'));
    const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES } });
    const { violations } = (await this.page.evaluate(`axe.run(document, ${options})`)) as AxeResult;
    return violations.map(({ id, nodes }) => ({ rule: id, elements: nodes.map(({ html }) => html) }));
  }

  async colors(scheme: ColorScheme): Promise<void> {
    await this.page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
  }

  async close(): Promise<void> {
    await this.page.browserContext().close();
  }

  private fault(text: string): void {
    if (!this.expected.some((like) => like.test(text))) this.faults.push(text);
  }
}

/** A real Chromium: that of npm, or the one that `CHROME_PATH` names. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /** Builds the dashboard unless it is built, or not needed. */
  static async start({ dashboard = true }: { readonly dashboard?: boolean } = {}): Promise<TestBrowser> {
    if (dashboard) await run('node', ['scripts/build.mjs', '--bundle']);
    const given = process.env['CHROME_PATH'] ?? '';
    const browser = await puppeteer.launch({
      executablePath: given === '' ? await chromium.executablePath() : given,
      args: ARGUMENTS,
      headless: 'shell',
      defaultViewport: { width: 1280, height: 900 },
    });
    return new TestBrowser(browser);
  }

  /**
   * A new page with its own storage.
   * @param others origins that it may go to besides the service's: an identity provider
   */
  async page(origin: string, ...others: readonly string[]): Promise<DashboardPage> {
    const context = await this.browser.createBrowserContext();
    return new DashboardPage(await context.newPage(), origin, others);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
