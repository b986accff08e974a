import type { FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { EditError } from '../taint-change/check-taint-edit.js';

/** One reason why a scenario cannot be applied, with its place in the scenario. */
export interface ScenarioFault {
  readonly code: string;
  readonly message: string;
  readonly field: string;
  readonly pointer: string;
}

/** As many faults as are reported; the rest of the scenario is not looked at then. */
export const MAX_FAULTS = 1000;

/** Thrown when there is no use in going on. */
export class TooManyFaults extends Error {}

/** Collects what is wrong with a scenario. */
export class ScenarioFaults {
  readonly all: ScenarioFault[] = [];

  add(at: FieldPath, code: string, message: string): void {
    this.push({ code, message, field: at.toString(), pointer: at.toPointer() });
  }

  /** Faults of a Kubernetes object that stands at a place. */
  addOfObject(at: FieldPath, errors: readonly FieldError[], pointer = ''): void {
    for (const error of errors) {
      this.push({
        code: error.type,
        message: error.message,
        field: error.field === '' ? at.toString() : `${at.toString()}.${error.field}`,
        pointer: `${at.toPointer()}${pointer}${error.pointer}`,
      });
    }
  }

  /** A fault whose place is one in the scenario already. */
  addAsPlaced({ type, message, field, pointer }: FieldError): void {
    this.push({ code: type, message, field, pointer });
  }

  /** Faults of an edit, those without a place at the given one. */
  addOfEdit(at: FieldPath, errors: readonly EditError[]): void {
    for (const { code, message, field = at.toString(), pointer = at.toPointer() } of errors) {
      this.push({ code, message, field, pointer });
    }
  }

  /** Says that a scenario is larger than it may be, and ends its reading. */
  tooLarge(at: FieldPath, message: string): never {
    this.add(at, 'scenario-too-large', message);
    throw new TooManyFaults();
  }

  private push(fault: ScenarioFault): void {
    this.all.push(fault);
    if (this.all.length >= MAX_FAULTS) throw new TooManyFaults();
  }
}
