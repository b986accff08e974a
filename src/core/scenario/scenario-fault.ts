import type { FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { EditError } from '../taint-change/check-taint-edit.js';

/** One reason why a scenario cannot be applied, with its position in the scenario. */
export interface ScenarioFault {
  readonly code: string;
  readonly message: string;
  readonly field: string;
  readonly pointer: string;
}

/** The maximum number of reported faults; after it, the rest of the scenario is not read. */
export const MAX_FAULTS = 1000;

/** Thrown to end the reading of a scenario. */
export class TooManyFaults extends Error {}

/** Collects the faults of a scenario. */
export class ScenarioFaults {
  readonly all: ScenarioFault[] = [];

  add(at: FieldPath, code: string, message: string): void {
    this.push({ code, message, field: at.toString(), pointer: at.toPointer() });
  }

  /** Adds the faults of a Kubernetes object at a position. */
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

  /** Adds a fault that already has its position in the scenario. */
  addAsPlaced({ type, message, field, pointer }: FieldError): void {
    this.push({ code: type, message, field, pointer });
  }

  /** Adds the faults of an edit; those without a position get the given one. */
  addOfEdit(at: FieldPath, errors: readonly EditError[]): void {
    for (const { code, message, field = at.toString(), pointer = at.toPointer() } of errors) {
      this.push({ code, message, field, pointer });
    }
  }

  /** Reports that a scenario is too large, and ends its reading. */
  tooLarge(at: FieldPath, message: string): never {
    this.add(at, 'scenario-too-large', message);
    throw new TooManyFaults();
  }

  private push(fault: ScenarioFault): void {
    this.all.push(fault);
    if (this.all.length >= MAX_FAULTS) throw new TooManyFaults();
  }
}
