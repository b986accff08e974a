import type { Step } from './attribute.js';
import { check, type Declarations } from './checker.js';
import { CelCompileError, CelUnsupported, issuesText } from './errors.js';
import { parseExpression } from './parser.js';
import { PlanError, planned } from './plan.js';
import { CostExceeded, RootScope, Run } from './run.js';
import type { CelType } from './types.js';
import { validate } from './validators.js';
import { CelError, isError, type Value } from './values.js';

export { PlanError };

/** What an evaluation gave, and what it cost. */
export interface Evaluation {
  readonly value: Value;
  readonly cost: number;
}

/** What one call of an expression may cost. Source: k8s.io/apiserver v0.36.2, pkg/apis/cel/config.go, `PerCallLimit`. */
export const CALL_LIMIT = 1_000_000;

/** An expression with known types, ready to be evaluated. */
export class Program {
  private constructor(
    /** The type of its result. */
    readonly type: CelType,
    private readonly step: Step,
  ) {}

  /**
   * Parses an expression, checks its types, and evaluates what is constant.
   *
   * @param isAllowed whether the result may be of a type; what it throws is thrown, before anything is evaluated
   * @throws {CelCompileError} for an expression that does not compile
   * @throws {PlanError} for a constant part that cannot be evaluated
   * @throws {CelUnsupported}
   */
  static compile(
    source: string,
    declarations: Declarations,
    isAllowed: (type: CelType) => void = () => undefined,
  ): Program {
    const expr = parseExpression(source, declarations.hasBindings);
    const { issues, ...checked } = check(expr, declarations);
    const all = issues.length > 0 ? issues : validate(expr, checked, declarations);
    if (all.length > 0) throw new CelCompileError(all, issuesText(source, all));
    const type = checked.types.get(expr)!;
    isAllowed(type);
    return new Program(type, planned(expr, checked, declarations.types));
  }

  /**
   * Evaluates the expression; a `CelError` as its value is what it results in.
   *
   * Upstream goes through a map in a random order. The expression is evaluated with both directions, and where that shows in the value,
   * it is not known.
   *
   * @param variable the value of a declared variable
   * @param limit what it may cost
   * @throws {CelUnsupported}
   */
  evaluate(variable: (name: string) => Value, limit = CALL_LIMIT): Evaluation {
    const run = new Run(variable, limit, false);
    const first = this.once(run);
    if (!run.sawOrder) return first;
    const second = this.once(new Run(variable, limit, true));
    if (!isSame(first.value, second.value)) {
      throw new CelUnsupported('the order of the entries of a map', first.cost + second.cost);
    }
    return first;
  }

  private once(run: Run): Evaluation {
    try {
      return { value: this.step(new RootScope(run)), cost: run.cost };
    } catch (error) {
      if (error instanceof CelUnsupported) throw new CelUnsupported(error.what, run.cost);
      if (!(error instanceof CostExceeded)) throw error;
      return {
        value: new CelError('operation cancelled: actual cost limit exceeded'),
        cost: Math.max(run.cost, run.limit + 1),
      };
    }
  }
}

function isSame(a: Value, b: Value): boolean {
  if (isError(a) || isError(b)) return isError(a) && isError(b) && a.message === b.message;
  return written(a) === written(b);
}

/** Two values that are written alike are the same. */
function written(value: Value): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Map ? Array.from(part) : part,
  );
}

export { CelCompileError, CelUnsupported };
