/**
 * The rules for names that apply to the whole Kubernetes API, with its messages. Each function returns the faults of a value,
 * or an empty list if it is valid. Lengths are in UTF-8 bytes, as upstream.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/api/validate/content and pkg/util/validation.
 */

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const dnsLabel = whole(DNS_LABEL);
const dnsSubdomain = whole(DNS_SUBDOMAIN);
const dns1035Label = whole(DNS_1035_LABEL);
const qualifiedName = whole(QUALIFIED_NAME);
const labelValue = whole(LABEL_VALUE);

const QUALIFIED_NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const qualifiedNameRule = regexError(QUALIFIED_NAME_RULE, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc');

/** The message about an empty value. */
export const EMPTY = 'must be non-empty';

/** `IsDNS1123Label`: a lower-case label of at most 63 bytes, such as a namespace or container name. */
export function isDns1123Label(value: string): string[] {
  const errors = noLongerThan(63, value);
  if (dnsLabel.test(value)) return errors;
  if (dnsSubdomain.test(value)) return [...errors, 'must not contain dots'];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, regexError(rule, DNS_LABEL, 'my-name', '123-abc')];
}

/** `IsDNS1123Subdomain`: labels joined by dots, at most 253 bytes, such as most object names. */
export function isDns1123Subdomain(value: string): string[] {
  const errors = noLongerThan(253, value);
  if (dnsSubdomain.test(value)) return errors;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(rule, DNS_SUBDOMAIN, 'example.com')];
}

/** `IsDNS1035Label`: like a DNS-1123 label, but it must begin with a letter. */
export function isDns1035Label(value: string): string[] {
  const errors = noLongerThan(63, value);
  if (dns1035Label.test(value)) return errors;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...errors, regexError(rule, DNS_1035_LABEL, 'my-name', 'abc-123')];
}

/** `IsQualifiedName`, also called `IsLabelKey`: a name of at most 63 bytes, with an optional DNS prefix and `/`. */
export function isQualifiedName(value: string): string[] {
  return known.has(value) ? [] : faultsOfQualifiedName(value);
}

/** Valid names, those that were asked for first: clusters have few label keys. */
const known = new Set<string>();
const MOST_KNOWN = 1000;

function faultsOfQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedNameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const errors: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    const wrong = prefix === '' ? [EMPTY] : isDns1123Subdomain(prefix);
    errors.push(...wrong.map((message) => `prefix part ${message}`));
  }
  const wrong = name === '' ? [EMPTY] : noLongerThan(63, name);
  if (!qualifiedName.test(name)) wrong.push(qualifiedNameRule);
  errors.push(...wrong.map((message) => `name part ${message}`));
  if (errors.length === 0 && known.size < MOST_KNOWN) known.add(value);
  return errors;
}

/**
 * `IsValidLabelValue`: empty, or at most 63 bytes of letters, digits, `-`, `_` and `.`, beginning and ending with a letter or
 * digit.
 */
export function isValidLabelValue(value: string): string[] {
  // What matches is ASCII, whose bytes need not be counted.
  if (value.length <= 63 && labelValue.test(value)) return [];
  const errors = noLongerThan(63, value);
  if (labelValue.test(value)) return errors;
  const rule = `a valid label must be an empty string or ${QUALIFIED_NAME_RULE.replace('must ', '')}`;
  return [...errors, regexError(rule, LABEL_VALUE, 'MyValue', 'my_value', '12345')];
}

/** `IsDecimalInteger`: an integer of any size in canonical form: without plus sign, leading zeros or negative zero. */
export function isDecimalInteger(value: string): string[] {
  if (value === '') return [EMPTY];
  return /^(?:0|-?[1-9][0-9]*)$/.test(value) ? [] : ['must be a valid decimal integer in canonical form'];
}

const ENV_NAME = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const envName = new RegExp(`^${ENV_NAME}$`);

/** `IsEnvVarName`: the rule without the gate RelaxedEnvironmentVariableValidation. */
export function isEnvName(value: string): string[] {
  const rule =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
  const errors = envName.test(value) ? [] : [regexError(rule, ENV_NAME, 'my.env-name', 'MY_ENV.NAME', 'MyEnvName1')];
  return [...errors, ...leadsElsewhere(value)];
}

/** `IsRelaxedEnvVarName`, for a name that is not empty: printable ASCII except equals signs. */
export const isRelaxedEnvName = (value: string): string[] =>
  /^[ -<>-~]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

/** `hasChDirPrefix`: a name that as a path leads to another directory. */
export function leadsElsewhere(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** The length of a string in UTF-8 bytes; a lone surrogate counts as the replacement character. */
export function byteLength(value: string): number {
  let bytes = 0;
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** `MaxLenError`, if the value has more than this many bytes. */
function noLongerThan(maximum: number, value: string): string[] {
  return value.length > maximum || byteLength(value) > maximum ? [`must be no more than ${maximum} bytes`] : [];
}

/** `RegexError`: the rule in words, its examples and its regular expression, with upstream's comma before each "or". */
export function regexError(rule: string, expression: string, ...examples: string[]): string {
  const suffix = `regex used for validation is '${expression}'`;
  if (examples.length === 0) return `${rule} (${suffix})`;
  return `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${suffix})`;
}

function whole(expression: string): RegExp {
  return new RegExp(`^(?:${expression})$`);
}
