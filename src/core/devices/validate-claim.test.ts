import { describe, expect, it } from '@jest/globals';
import { FieldPath } from '../kubernetes/field-path.js';
import { errorsInWordsOf } from '../kubernetes/field-error.js';
import { DEFAULT_RULES, rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { ExactDeviceRequest, ResourceClaimSpec } from '../kubernetes/objects/dra.js';
import { validateClaimSpec, validateDeviceClass } from './validate-claim.js';

type Devices = NonNullable<ResourceClaimSpec['devices']>;

const exactly = (more: object): object => ({
  requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', ...more } }],
});
const many = (count: number, of: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, at) => of(at));

/** What kube-apiserver v1.36.2 says of a ResourceClaimTemplate with these devices. */
const RECORDED: readonly (readonly [what: string, devices: object, messages: readonly string[]])[] = [
  ['what is valid', { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] }, []],
  [
    'syntax of an expression',
    {
      requests: [
        { name: 'gpu', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression: 'device.foo == ' } }] } },
      ],
    },
    [
      "spec.spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: \"device.foo == \": compilation failed: ERROR: <input>:1:15: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | device.foo == \n | ..............^",
    ],
  ],
  [
    'a field that devices lack',
    {
      requests: [
        { name: 'gpu', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression: 'device.foo == "x"' } }] } },
      ],
    },
    [
      'spec.spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "device.foo == \\"x\\"": compilation failed: ERROR: <input>:1:7: undefined field \'foo\'\n | device.foo == "x"\n | ......^',
    ],
  ],
  [
    'the type of an expression',
    { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression: '"x"' } }] } }] },
    [
      'spec.spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "\\"x\\"": must evaluate to bool or the unknown type, not string',
    ],
  ],
  [
    'a selector without an expression',
    { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', selectors: [{}] } }] },
    ['spec.spec.devices.requests[0].exactly.selectors[0].cel: Required value'],
  ],
  [
    'name, class and count',
    { requests: [{ name: 'BAD', exactly: { count: -1 } }] },
    [
      "spec.spec.devices.requests[0].name: Invalid value: \"BAD\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.spec.devices.requests[0].exactly.deviceClassName: Required value',
      'spec.spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero',
    ],
  ],
  [
    'the name of a class',
    { requests: [{ name: 'a', exactly: { deviceClassName: 'Not_ok' } }] },
    [
      "spec.spec.devices.requests[0].exactly.deviceClassName: Invalid value: \"Not_ok\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    'neither form of a request',
    { requests: [{ name: 'a' }] },
    ['spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required'],
  ],
  [
    'both forms',
    {
      requests: [
        { name: 'a', exactly: { deviceClassName: 'g' }, firstAvailable: [{ name: 'x', deviceClassName: 'g' }] },
      ],
    },
    [
      'spec.spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
    ],
  ],
  [
    'the mode',
    { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'Some' } }] },
    [
      'spec.spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
    ],
  ],
  [
    'a count with All',
    { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'All', count: 2 } }] },
    [
      "spec.spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
    ],
  ],
  [
    'a name twice',
    {
      requests: [
        { name: 'a', exactly: { deviceClassName: 'g' } },
        { name: 'a', exactly: { deviceClassName: 'g' } },
      ],
    },
    ['spec.spec.devices.requests[1]: Duplicate value: "a"'],
  ],
  [
    'a name of a subrequest twice',
    {
      requests: [
        {
          name: 'a',
          firstAvailable: [
            { name: 'x', deviceClassName: 'g' },
            { name: 'x', deviceClassName: 'g' },
          ],
        },
      ],
    },
    ['spec.spec.devices.requests[0].firstAvailable[1]: Duplicate value: "x"'],
  ],
  [
    'too many subrequests',
    { requests: [{ name: 'a', firstAvailable: many(9, (at) => ({ name: `x${at}`, deviceClassName: 'g' })) }] },
    ['spec.spec.devices.requests[0].firstAvailable: Too many: 9: must have at most 8 items'],
  ],
  [
    'too many requests',
    { requests: many(33, (at) => ({ name: `x${at}`, exactly: { deviceClassName: 'g' } })) },
    ['spec.spec.devices.requests: Too many: 33: must have at most 32 items'],
  ],
  [
    'too many selectors',
    exactly({ selectors: many(33, () => ({ cel: { expression: 'true' } })) }),
    ['spec.spec.devices.requests[0].exactly.selectors: Too many: 33: must have at most 32 items'],
  ],
  [
    'tolerations',
    {
      requests: [
        {
          name: 'gpu',
          exactly: {
            deviceClassName: 'gpu',
            tolerations: [
              { key: 'a b', operator: 'Exists', value: 'v', effect: 'NoWay' },
              { key: 'k', operator: 'Equal', value: 'not ok!' },
              { operator: 'In' },
            ],
          },
        },
      ],
    },
    [
      "spec.spec.devices.requests[0].exactly.tolerations[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
      'spec.spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "NoWay": supported values: "NoExecute", "NoSchedule", "None"',
      "spec.spec.devices.requests[0].exactly.tolerations[1].value: Invalid value: \"not ok!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'spec.spec.devices.requests[0].exactly.tolerations[2].operator: Unsupported value: "In": supported values: "Equal", "Exists"',
    ],
  ],
  ['many tolerations', exactly({ tolerations: many(17, (at) => ({ key: `k${at}`, operator: 'Exists' })) }), []],
  [
    'constraints',
    {
      requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }],
      constraints: [
        { requests: ['gpu', 'nope', 'gpu/x', 'a/b/c', 'gpu'], matchAttribute: 'plain' },
        { distinctAttribute: 'a.example.com/1x' },
        {},
        { matchAttribute: '/x' },
        { matchAttribute: 'D!/' },
      ],
    },
    [
      'spec.spec.devices.constraints[0].requests[1]: Invalid value: "nope": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.spec.devices.constraints[0].requests[2]: Invalid value: "gpu/x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.spec.devices.constraints[0].requests[3]: Invalid value: "a/b/c": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.spec.devices.constraints[0].requests[4]: Duplicate value: "gpu"',
      'spec.spec.devices.constraints[0].matchAttribute: Invalid value: "plain": a fully qualified name must be a domain and a name separated by a slash',
      "spec.spec.devices.constraints[1].distinctAttribute: Invalid value: \"1x\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      'spec.spec.devices.constraints[2]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      'spec.spec.devices.constraints[3].matchAttribute: Invalid value: "": the domain must not be empty',
      "spec.spec.devices.constraints[4].matchAttribute: Invalid value: \"D!\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.spec.devices.constraints[4].matchAttribute: Invalid value: "": the name must not be empty',
    ],
  ],
  [
    'configurations',
    {
      requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }],
      config: [
        { requests: ['nope'] },
        { opaque: { driver: 'Not_ok', parameters: { a: 1 } } },
        { opaque: { driver: '', parameters: { a: 1 } } },
      ],
    },
    [
      'spec.spec.devices.config[0].requests[0]: Invalid value: "nope": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.spec.devices.config[0].opaque: Required value',
      "spec.spec.devices.config[1].opaque.driver: Invalid value: \"Not_ok\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.spec.devices.config[2].opaque.driver: Required value',
    ],
  ],
  [
    'a long name of an attribute',
    {
      requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }],
      constraints: [{ matchAttribute: 'a.example.com/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' }],
    },
    ['spec.spec.devices.constraints[0].matchAttribute: Too long: may not be more than 32 bytes'],
  ],
  [
    'a long expression',
    exactly({ selectors: [{ cel: { expression: `true${' '.repeat(10_240)}` } }] }),
    ['spec.spec.devices.requests[0].exactly.selectors[0].cel.expression: Too long: may not be more than 10240 bytes'],
  ],
];

/** With the defaults that the API server sets before it validates. */
function defaulted(devices: Devices): Devices {
  const inFull = <Request extends Partial<ExactDeviceRequest>>(request: Request): Request => {
    const mode = request.allocationMode ?? 'ExactCount';
    const tolerations = request.tolerations?.map((toleration) => ({ operator: 'Equal', ...toleration }));
    return {
      ...request,
      allocationMode: mode,
      ...(mode === 'ExactCount' && { count: request.count ?? 1 }),
      ...(tolerations !== undefined && { tolerations }),
    };
  };
  const requests = devices.requests?.map(({ exactly: one, firstAvailable, ...request }) => ({
    ...request,
    ...(one !== undefined && { exactly: inFull(one) }),
    ...(firstAvailable !== undefined && { firstAvailable: firstAvailable.map(inFull) }),
  }));
  return { ...devices, ...(requests !== undefined && { requests }) };
}

/** Without the place of an error of syntax, and what the parser expected there: its words are not ours. */
const comparable = (message: string): string =>
  message.replace(/(?:ERROR: <input>:\d+:\d+: )?(Syntax error).*$/s, '$1');

describe('validateClaimSpec', () => {
  it.each(RECORDED)('says what the API server says: %s', (_, devices, messages) => {
    const errors = validateClaimSpec({ devices: defaulted(devices) }, FieldPath.of('spec', 'spec'), DEFAULT_RULES);
    const said = errors.map(({ field, message }) => comparable(`${field}: ${message}`));
    expect(said.sort()).toEqual(messages.map(comparable).sort());
  });

  it('misses the attribute to match where the gate of distinct attributes is off', () => {
    const constrained = (constraint: object, minor: number): string[] =>
      validateClaimSpec(
        { devices: defaulted({ ...exactly({}), constraints: [constraint] }) },
        FieldPath.of('spec'),
        rulesOfMinor(minor),
      ).map(({ field, message }) => `${field} ${message}`);
    const missing = 'spec.devices.constraints[0].matchAttribute Required value';
    expect([35, 36].map((minor) => constrained({}, minor))).toEqual([
      [missing],
      [
        'spec.devices.constraints[0] Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      ],
    ]);
    const distinct = { distinctAttribute: 'gpu.example.com/id' };
    expect([33, 34].map((minor) => constrained(distinct, minor))).toEqual([[missing], []]);
  });

  /** The words of validation.go as of 1.31, 1.32 and 1.33. */
  it('says it in the words, with the fields and in the order of earlier versions', () => {
    const said = (devices: object, minor: number): string[] =>
      errorsInWordsOf(
        rulesOfMinor(minor),
        validateClaimSpec({ devices: defaulted(devices) }, FieldPath.of('spec'), rulesOfMinor(minor)),
      ).map(({ field, message }) => `${field}: ${message}`);
    const at = 'spec.devices.requests[0]';
    expect([31, 32, 33].map((minor) => said(exactly({ deviceClassName: '', count: -1 }), minor))).toEqual([
      [`${at}.deviceClassName: Required value`, `${at}.count: Invalid value: -1: must be greater than zero`],
      [`${at}.deviceClassName: Required value`, `${at}.count: Invalid value: -1: must be greater than zero`],
      [
        `${at}.exactly.deviceClassName: Required value`,
        `${at}.exactly.count: Invalid value: -1: must be greater than zero`,
      ],
    ]);
    expect([32, 33].map((minor) => said({ requests: [{ name: 'a' }] }, minor))).toEqual([
      [`${at}.deviceClassName: Required value`],
      [`${at}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`],
    ]);
    const twice = { requests: many(2, () => ({ name: 'a', exactly: { deviceClassName: 'g' } })) };
    expect([34, 35].map((minor) => said(twice, minor))).toEqual([
      ['spec.devices.requests[1].name: Duplicate value: "a"'],
      ['spec.devices.requests[1]: Duplicate value: "a"'],
    ]);
    const constraint = { requests: ['gpu/a'], matchAttribute: 'model' };
    const constrained = { ...exactly({}), constraints: [constraint] };
    const of = 'spec.devices.constraints[0]';
    expect(said(constrained, 31)).toEqual([
      expect.stringContaining(`${of}.requests[0]: Invalid value: "gpu/a": a lowercase RFC 1123 label`),
      `${of}.requests[0]: Invalid value: "gpu/a": must be the name of a request in the claim`,
      `${of}.matchAttribute.domain: Required value: must include a prefix`,
    ]);
    expect([32, 33, 35].map((minor) => said(constrained, minor).at(-1))).toEqual([
      `${of}.matchAttribute: Invalid value: "model": must include a domain`,
      `${of}.matchAttribute: Invalid value: "model": must include a domain`,
      `${of}.matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash`,
    ]);
    const tooMany = { requests: many(33, () => ({ name: 'a', exactly: { deviceClassName: 'BAD' } })) };
    expect([31, 34, 35].map((minor) => said(tooMany, minor).filter((one) => one.includes('Too')))).toEqual([
      ['spec.devices.requests: Too long: may not be longer than 32'],
      ['spec.devices.requests: Too many: 33: must have at most 32 items'],
      ['spec.devices.requests: Too many: 33: must have at most 32 items'],
    ]);
    expect([34, 35].map((minor) => said(tooMany, minor).length)).toEqual([33 + 1 + 32, 1]);
    const long = exactly({ selectors: [{ cel: { expression: `"${'x'.repeat(10_240)}" == ""` } }] });
    expect([31, 32].map((minor) => said(long, minor))).toEqual([
      [],
      [`${at}.selectors[0].cel.expression: Too long: may not be more than 10240 bytes`],
    ]);
  });

  it('knows that devices can be shared where the gate is on', () => {
    const expression = 'device.allowMultipleAllocations == true';
    const devices = defaulted(exactly({ selectors: [{ cel: { expression } }] }));
    const said = [35, 36].map((minor) =>
      validateClaimSpec({ devices }, FieldPath.of('spec'), rulesOfMinor(minor)).map(({ message }) => message),
    );
    expect(said).toEqual([[expect.stringContaining("undefined field 'allowMultipleAllocations'")], []]);
  });
});

describe('validateDeviceClass', () => {
  it('drops the name of an extended resource up to 1.35', () => {
    const deviceClass = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: { extendedResourceName: 'cpu', selectors: [{ cel: { expression: 'device.allowMultipleAllocations' } }] },
    } as const;
    const fields = [35, 36].map((minor) =>
      validateDeviceClass(deviceClass, rulesOfMinor(minor)).map(({ field }) => field),
    );
    expect(fields).toEqual([['spec.selectors[0].cel.expression'], ['spec.extendedResourceName']]);
  });
});
