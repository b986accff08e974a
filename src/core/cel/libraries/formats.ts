import { isDns1035Label, isQualifiedName, isValidLabelValue } from '../../kubernetes/validation/names.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../kubernetes/validation/object-names.js';
import type { HasRegex } from '../cost.js';
import { method, overload, type CelFunction } from '../declarations.js';
import { CelUnsupported } from '../errors.js';
import { LibraryValue } from '../operations.js';
import { listOf, objectType, optionalOf, STRING } from '../types.js';
import { CelError, isError, noSuchOverload, Optional, type Value } from '../values.js';
import { urlProblem } from './go-url.js';

export const FORMAT = objectType('kubernetes.NamedFormat');

class FormatValue extends LibraryValue implements HasRegex {
  readonly typeName = 'kubernetes.NamedFormat';

  constructor(
    readonly name: string,
    readonly problems: (text: string) => readonly string[],
    readonly regexSize: number,
  ) {
    super();
  }

  equals(other: Value): boolean | CelError {
    if (isError(other)) return other;
    return other instanceof FormatValue ? this.name === other.name : noSuchOverload();
  }
}

const label = (text: string): readonly string[] => nameIsDnsLabel(text, false);
const subdomain = (text: string): readonly string[] => nameIsDnsSubdomain(text, false);
const oldLabelPrefix = (text: string): readonly string[] => isDns1035Label(text.replace(/-$/, 'a'));

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid = (text: string): readonly string[] => (UUID.test(text) ? [] : ['does not match the UUID format']);

/** A format whose rules are another library's. */
const foreign = (name: string, size = 0): FormatValue =>
  new FormatValue(
    name,
    () => {
      throw new CelUnsupported(`the format ${name}`);
    },
    size,
  );

/** k8s.io/apiserver v0.36.2, pkg/cel/library/format.go, `ConstantFormats`. */
const FORMATS: ReadonlyMap<string, FormatValue> = new Map([
  ['dns1123Label', new FormatValue('DNS1123Label', label, 30)],
  ['dns1123Subdomain', new FormatValue('DNS1123Subdomain', subdomain, 60)],
  ['dns1035Label', new FormatValue('DNS1035Label', isDns1035Label, 30)],
  ['qualifiedName', new FormatValue('QualifiedName', isQualifiedName, 60)],
  ['dns1123LabelPrefix', new FormatValue('DNS1123LabelPrefix', (text) => nameIsDnsLabel(text, true), 30)],
  ['dns1123SubdomainPrefix', new FormatValue('DNS1123SubdomainPrefix', (text) => nameIsDnsSubdomain(text, true), 60)],
  ['dns1035LabelPrefix', new FormatValue('DNS1035LabelPrefix', oldLabelPrefix, 30)],
  ['labelValue', new FormatValue('LabelValue', isValidLabelValue, 40)],
  [
    'uri',
    new FormatValue(
      'URI',
      (text) => {
        const problem = urlProblem(text);
        return problem === undefined ? [] : [problem];
      },
      1103,
    ),
  ],
  ['uuid', new FormatValue('uuid', uuid, 64)],
  ['byte', foreign('byte')],
  ['date', foreign('date')],
  ['datetime', foreign('datetime')],
]);

function validate(format: Value, text: Value): Value {
  const problems = (format as FormatValue).problems(text as string);
  return problems.length === 0 ? Optional.NONE : Optional.of(problems);
}

function named(name: Value): Value {
  const format = FORMATS.get(name as string);
  return format === undefined ? Optional.NONE : Optional.of(format);
}

/** k8s.io/apiserver v0.36.2, pkg/cel/library/format.go. */
export const FORMAT_FUNCTIONS: readonly CelFunction[] = [
  {
    name: 'validate',
    overloads: [method('format-validate', [FORMAT, STRING], optionalOf(listOf(STRING)), validate)],
  },
  { name: 'format.named', overloads: [overload('format-named', [STRING], optionalOf(FORMAT), named)] },
  ...[...FORMATS].map(([name, format]): CelFunction => {
    const full = `format.${name}`;
    return { name: full, overloads: [overload(full, [], FORMAT, () => format)] };
  }),
];
