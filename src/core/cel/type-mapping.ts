import {
  DYN,
  formatType,
  isDyn,
  isSimple,
  listOf,
  mapOf,
  opaqueType,
  parametersOf,
  sameType,
  typeOf,
  type CelType,
} from './types.js';

/**
 * What type parameters stand for, as far as it has been found out.
 *
 * Source: cel-go v0.26.0, checker/types.go and checker/mapping.go.
 */
export class TypeMapping {
  private constructor(private readonly known: Map<string, CelType>) {}

  static empty(): TypeMapping {
    return new TypeMapping(new Map());
  }

  add(from: CelType, to: CelType): void {
    this.known.set(formatType(from), to);
  }

  private find(type: CelType): CelType | undefined {
    return this.known.get(formatType(type));
  }

  /** The mapping with what makes each of the second types fit the first of the same place, or undefined. */
  assigning(to: readonly CelType[], from: readonly CelType[]): TypeMapping | undefined {
    const copy = new TypeMapping(new Map(this.known));
    return copy.areAssignable(to, from) ? copy : undefined;
  }

  /** The type with its parameters replaced; those that are free become `dyn`, or stay. */
  substitute(type: CelType, free: 'dyn' | 'stay'): CelType {
    const known = this.find(type);
    if (known !== undefined) return this.substitute(known, free);
    switch (type.kind) {
      case 'parameter':
        return free === 'dyn' ? DYN : type;
      case 'opaque':
        return opaqueType(type.name, ...type.parameters.map((one) => this.substitute(one, free)));
      case 'list':
        return listOf(this.substitute(type.element, free));
      case 'map':
        return mapOf(this.substitute(type.key, free), this.substitute(type.value, free));
      case 'type':
        return type.of === undefined ? type : typeOf(this.substitute(type.of, free));
      default:
        return type;
    }
  }

  private areAssignable(to: readonly CelType[], from: readonly CelType[]): boolean {
    return to.length === from.length && to.every((type, index) => this.isAssignable(type, from[index]!));
  }

  private isAssignable(a: CelType, b: CelType): boolean {
    if (b.kind === 'parameter') {
      const found = this.isSubstitution(a, b);
      if (found.valid) return true;
      if (found.known) return false;
    }
    if (a.kind === 'parameter') return this.isSubstitution(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (isSimple(a, 'null')) return isNullable(b);
    if (isSimple(b, 'null')) return isNullable(a);
    switch (a.kind) {
      case 'simple':
      case 'object':
        return sameType(a, b);
      case 'type':
        return b.kind === 'type';
      default:
        return (
          a.kind === b.kind &&
          (a.kind !== 'opaque' || a.name === (b as { name?: string }).name) &&
          this.areAssignable(parametersOf(a), parametersOf(b))
        );
    }
  }

  /** Whether `type` can stand for `parameter`, and whether the latter stood for something. */
  private isSubstitution(type: CelType, parameter: CelType): { readonly valid: boolean; readonly known: boolean } {
    if (sameType(type, parameter)) return { valid: true, known: true };
    const known = this.find(parameter);
    if (known !== undefined) {
      if (sameType(type, known)) return { valid: true, known: true };
      if (!this.isAssignable(type, known)) return { valid: false, known: true };
      const general = mostGeneral(type, known);
      if (this.isNotIn(parameter, general)) this.add(parameter, general);
      return { valid: true, known: true };
    }
    const valid = this.isNotIn(parameter, type);
    if (valid) this.add(parameter, type);
    return { valid, known: false };
  }

  private isNotIn(type: CelType, within: CelType): boolean {
    if (sameType(type, within)) return false;
    if (within.kind === 'parameter') {
      const known = this.find(within);
      return known === undefined || this.isNotIn(type, known);
    }
    return parametersOf(within).every((one) => this.isNotIn(type, one));
  }
}

const isNullable = (type: CelType): boolean =>
  type.kind === 'opaque' ||
  type.kind === 'object' ||
  isSimple(type, 'duration') ||
  isSimple(type, 'timestamp') ||
  isSimple(type, 'null');

export const isDynOrError = (type: CelType): boolean => isDyn(type) || isSimple(type, 'error');

/** The one of two types that the other fits. */
export const mostGeneral = (a: CelType, b: CelType): CelType => (isNotMoreSpecific(a, b) ? a : b);

function isNotMoreSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'parameter') return true;
  if (isDyn(b) || b.kind === 'parameter' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind !== 'list' && a.kind !== 'map' && a.kind !== 'opaque') return sameType(a, b);
  if (a.kind === 'opaque' && a.name !== (b as { name?: string }).name) return false;
  const parameters = parametersOf(b);
  return (
    parametersOf(a).length === parameters.length &&
    parametersOf(a).every((type, index) => isNotMoreSpecific(type, parameters[index]!))
  );
}
