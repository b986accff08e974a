import { LruCache } from '../collections/lru-cache.js';
import type { Device } from '../kubernetes/objects/dra.js';
import { selects, type SelectorVerdict } from './device-selectors.js';

/** Expressions whose answers are remembered. */
const MAX_EXPRESSIONS = 16;

const NOT_ASKED = 0;
const MATCHES = 1;
const DIFFERS = 2;
const FAULTY = 3;

/** What one expression says of each device of a cluster, by the number of the device; each is asked once. */
export class SelectorColumn {
  private readonly answers: Uint8Array;
  private readonly costs: Uint32Array;
  private readonly faults = new Map<number, SelectorVerdict>();

  constructor(
    private readonly expression: string,
    devices: number,
  ) {
    this.answers = new Uint8Array(devices);
    this.costs = new Uint32Array(devices);
  }

  /**
   * Asks about a device.
   *
   * @returns what that costs
   * @throws {CelUnsupported} for an expression that is not evaluated here
   */
  ask(index: number, driver: string, device: Device): number {
    if (this.answers[index] === NOT_ASKED) {
      const verdict = selects(this.expression, driver, device);
      this.costs[index] = verdict.cost;
      if ('matches' in verdict) this.answers[index] = verdict.matches ? MATCHES : DIFFERS;
      else {
        this.faults.set(index, verdict);
        this.answers[index] = FAULTY;
      }
    }
    return this.costs[index]!;
  }

  /** The answer about a device that has been asked about; why there is none if the expression cannot tell. */
  answer(index: number): boolean | Extract<SelectorVerdict, { readonly fault: string }> {
    const answer = this.answers[index];
    return answer === FAULTY
      ? (this.faults.get(index) as Extract<SelectorVerdict, { readonly fault: string }>)
      : answer === MATCHES;
  }
}

/** The answers of the expressions that were asked about last. */
export class SelectorColumns {
  private readonly columns = new LruCache<SelectorColumn>(MAX_EXPRESSIONS);

  /** @param devices how many there are */
  constructor(readonly devices: number) {}

  of(expression: string): SelectorColumn {
    return this.columns.get(expression, () => new SelectorColumn(expression, this.devices));
  }
}
