import { CelUnsupported } from '../cel/errors.js';
import { LruCache } from '../collections/lru-cache.js';
import type { Device } from '../kubernetes/objects/dra.js';
import { Selector, type SelectorVerdict } from './device-selectors.js';

/** Expressions whose answers are remembered. */
const MAX_EXPRESSIONS = 16;

type Fault = Extract<SelectorVerdict, { readonly fault: string }>;

const NOT_ASKED = 0;
const MATCHES = 1;
const DIFFERS = 2;
const FAULTY = 3;

/** What one expression says of each device of a cluster, by the number of the device; each is asked once. */
export class SelectorColumn {
  private readonly selector: Selector;
  private readonly answers: Uint8Array;
  private readonly costs: Uint32Array;
  private readonly faults = new Map<number, Fault | CelUnsupported>();

  constructor(expression: string, devices: number, knowsShares: boolean) {
    this.selector = new Selector(expression, knowsShares);
    this.answers = new Uint8Array(devices);
    this.costs = new Uint32Array(devices);
  }

  /** Asks about a device. @returns what that costs */
  ask(index: number, driver: string, device: Device): number {
    if (this.answers[index] === NOT_ASKED) this.evaluate(index, driver, device);
    return this.costs[index]!;
  }

  /** Whether what it costs is for all devices together. */
  get isForAll(): boolean {
    return this.selector.ofAll !== undefined;
  }

  /**
   * The answer about a device that has been asked about; why there is none if the expression cannot tell.
   *
   * @throws {CelUnsupported} for an expression that is not evaluated here
   */
  answer(index: number): boolean | Fault {
    const answer = this.answers[index];
    if (answer !== FAULTY) return answer === MATCHES;
    const fault = this.faults.get(index)!;
    if (fault instanceof CelUnsupported) throw fault;
    return fault;
  }

  private evaluate(index: number, driver: string, device: Device): void {
    const verdict = this.verdictOn(driver, device);
    this.costs[index] = verdict.cost;
    if ('matches' in verdict) this.answers[index] = verdict.matches ? MATCHES : DIFFERS;
    else {
      this.faults.set(index, verdict);
      this.answers[index] = FAULTY;
    }
  }

  private verdictOn(driver: string, device: Device): SelectorVerdict | CelUnsupported {
    try {
      return this.selector.selects(driver, device);
    } catch (error) {
      if (error instanceof CelUnsupported) return error;
      throw error;
    }
  }
}

/** The answers of the expressions that were asked about last. */
export class SelectorColumns {
  private readonly columns = new LruCache<SelectorColumn>(MAX_EXPRESSIONS);

  /**
   * @param devices how many there are
   * @param knowsShares as for selectors
   */
  constructor(
    readonly devices: number,
    private readonly knowsShares: boolean,
  ) {}

  of(expression: string): SelectorColumn {
    return this.columns.get(expression, () => new SelectorColumn(expression, this.devices, this.knowsShares));
  }
}
