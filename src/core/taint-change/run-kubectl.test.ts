import { describe, expect, it } from '@jest/globals';
import type { Node } from '../kubernetes/objects/node.js';
import { formatTaint } from '../kubernetes/taint.js';
import { parseTaint } from '../kubernetes/taint-text.js';
import { runKubectl } from './run-kubectl.js';

const node = (name: string, role: string, taints: readonly string[] = [], unschedulable = false): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { role } },
  spec: { ...(taints.length > 0 && { taints: taints.map(parseTaint) }), ...(unschedulable && { unschedulable }) },
});
const NODES = [node('n3', 'y'), node('n1', 'x'), node('n2', 'x', ['a=b:NoSchedule', 'c:NoExecute'])];
const run = (words: string, nodes: readonly Node[] = NODES): ReturnType<typeof runKubectl> =>
  runKubectl(['kubectl', ...words.split(' ').map((word) => word.replaceAll('~', ' '))], nodes);

/** Output and exit codes of kubectl, recorded with v1.32 on a fake API server, with the messages of v1.36. */
describe('kubectl taint', () => {
  it.each<[string, string, string, string]>([
    [
      'does what it can and names the node that refuses',
      'taint nodes n1 n2 a=z:NoSchedule',
      'node/n1 tainted\n',
      'error: node n2 already has a taint(s) with same effect(s) and --overwrite is false\n',
    ],
    [
      'writes errors of several nodes without the word error',
      'taint nodes n2 absent n1 q:NoSchedule g-',
      '',
      'taint "g" not found\nError from server (NotFound): nodes "absent" not found\ntaint "g" not found\n',
    ],
    [
      'brackets several errors of one node among others',
      'taint nodes n1 n2 g1- g2-',
      '',
      '[taint "g1" not found, taint "g2" not found]\n[taint "g1" not found, taint "g2" not found]\n',
    ],
    [
      'reads a node named twice again',
      'taint nodes n1 n1 d:NoSchedule',
      'node/n1 tainted\n',
      'error: node n1 already has d taint(s) with same effect(s) and --overwrite is false\n',
    ],
    ['finds nothing to say about a selector that selects nothing', 'taint nodes -l role=none q:NoSchedule', '', ''],
    ['takes the selector and forgets the names', 'taint nodes n1 -l role=y q:NoSchedule', 'node/n3 tainted\n', ''],
    [
      'lists nodes by name',
      'taint nodes --all q:NoSchedule',
      'node/n1 tainted\nnode/n2 tainted\nnode/n3 tainted\n',
      '',
    ],
    [
      'says of a bad selector what the server says',
      'taint nodes -l a==b==c q:NoSchedule',
      '',
      `Error from server (BadRequest): Unable to find "/v1, Resource=nodes" that match label selector "a==b==c", field selector "": found '==', expected: ',' or 'end of string'\n`,
    ],
    [
      'takes a blank selector for none, and wants names then',
      'taint nodes n1 -l ~ q:NoSchedule',
      '',
      'error: resource(s) were provided, but no name was specified\n',
    ],
    [
      'knows what dry runs there are',
      'taint nodes n1 q:NoSchedule --dry-run=foo',
      '',
      'error: Invalid dry-run value (foo). Must be "none", "server", or "client".\n',
    ],
    [
      'takes a word after --dry-run for one of its own',
      'taint nodes n1 q:NoSchedule --dry-run client',
      '',
      'error: all resources must be specified before taint changes: client\n',
    ],
    [
      'does not know every flag',
      'taint nodes n1 q:NoSchedule --foo',
      '',
      "error: unknown flag: --foo\nSee 'kubectl taint --help' for usage.\n",
    ],
    [
      'does not know every letter',
      'taint nodes n1 q:NoSchedule -z',
      '',
      "error: unknown shorthand flag: 'z' in -z\nSee 'kubectl taint --help' for usage.\n",
    ],
    [
      'wants booleans as Go does',
      'taint nodes n1 q:NoSchedule --overwrite=maybe',
      '',
      `error: invalid argument "maybe" for "--overwrite" flag: strconv.ParseBool: parsing "maybe": invalid syntax\nSee 'kubectl taint --help' for usage.\n`,
    ],
    [
      'wants the value of a letter',
      'taint nodes n1 q:NoSchedule -l',
      '',
      "error: flag needs an argument: 'l' in -l\nSee 'kubectl taint --help' for usage.\n",
    ],
    ['wants resources', 'taint', '', 'error: one or more resources must be specified as <resource> <name>\n'],
    [
      'wants names',
      'taint nodes a:NoSchedule',
      '',
      "error: at least one resource name must be specified since 'all' parameter is not set\n",
    ],
    [
      'wants a resource that there is',
      'taint foo n1 q:NoSchedule',
      '',
      'the server doesn\'t have a resource type "foo"\n',
    ],
    ['wants nodes', 'taint PO n1 q:NoSchedule', '', 'error: invalid resource type po, only node types are supported\n'],
    ['takes short names in any case', 'taint NO n1 q:NoSchedule', 'node/n1 tainted\n', ''],
    [
      'accepts a resource type with a suffix after a dot',
      'taint nodes.v1 node/n1 q:NoSchedule',
      'node/n1 tainted\n',
      '',
    ],
    [
      'looks for a pod where one is named',
      'taint nodes pod/n1 q:NoSchedule',
      '',
      'Error from server (NotFound): pods "n1" not found\n',
    ],
    [
      'wants one slash',
      'taint nodes a/b/c q:NoSchedule',
      '',
      'error: arguments in resource/name form may not have more than one slash\n',
    ],
    [
      'wants something on both sides of the slash',
      'taint nodes /n1 q:NoSchedule',
      '',
      'error: arguments in resource/name form must have a single resource and name\n',
    ],
    [
      'refuses an unknown resource in a name before it does anything',
      'taint nodes n1 foo/n1 q:NoSchedule',
      '',
      'error: the server doesn\'t have a resource type "foo"\n',
    ],
    [
      'names every contradiction',
      'taint nodes n1 x:NoSchedule x- x:NoSchedule-',
      '',
      'error: can not both modify and remove the following taint(s) in the same command: x=, x=NoSchedule\n',
    ],
    ['prints only the name with -o name', 'taint nodes n1 q:NoSchedule -o name', 'node/n1\n', ''],
    [
      'checks the way of validation',
      'taint nodes n1 q:NoSchedule --validate=foo',
      '',
      'error: invalid - validate option "foo"; must be one of: strict (or true), warn, ignore (or false)\n',
    ],
    ['ends flags at two dashes', 'taint nodes n2 -- a-', 'node/n2 untainted\n', ''],
    [
      'passes flags of the connection over, before the command too',
      '-n=x --as bob --context c taint nodes n1 q:NoSchedule -v 9',
      'node/n1 tainted\n',
      '',
    ],
  ])('%s', (_, words, stdout, stderr) => {
    expect(run(words)).toMatchObject({ stdout, stderr, exitCode: stderr === '' ? 0 : 1 });
  });

  it('changes nothing in a dry run, and does not report that it was one', () => {
    for (const strategy of ['client', 'server']) {
      const dry = run(`taint nodes n1 q:NoSchedule --dry-run=${strategy}`);
      expect(dry.stdout).toBe('node/n1 tainted\n');
      expect(dry.nodes).toEqual(NODES);
    }
  });

  it('prints one cause of an invalid node inline, several causes below, and all inline if there are other errors', () => {
    const strange = (name: string, ...keys: string[]): Node => ({
      ...node(name, 'x'),
      spec: { taints: keys.map((key) => ({ key, effect: 'NoSchedule' })) },
    });
    const rule = (key: string, index: number): string =>
      `metadata.taints[${index}].key: Invalid value: "${key}": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
    const nodes = [strange('n1', 'b d'), strange('n2', 'b d', 'e f')];
    expect(run('taint nodes n1 q:NoSchedule', nodes).stderr).toBe(`The Node "n1" is invalid: ${rule('b d', 1)}\n`);
    expect(run('taint nodes n2 q:NoSchedule', nodes).stderr).toBe(
      `The Node "n2" is invalid: \n* ${rule('b d', 1)}\n* ${rule('e f', 2)}\n`,
    );
    expect(run('taint nodes n1 n2 q:NoSchedule', nodes).stderr).toBe(
      `Error from server (Invalid): Node "n1" is invalid: ${rule('b d', 1)}\n` +
        `Error from server (Invalid): Node "n2" is invalid: [${rule('b d', 1)}, ${rule('e f', 2)}]\n`,
    );
    expect(run('cordon n1', nodes)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: `error: unable to cordon node "n1": Node "n1" is invalid: ${rule('b d', 0)}\n`,
    });
  });
});

describe('kubectl cordon and uncordon', () => {
  it.each<[string, string, string, string]>([
    ['want a node', 'cordon', '', "error: USAGE: cordon NODE [flags]\nSee 'kubectl cordon -h' for help and examples\n"],
    [
      'want a node or a selector, not both',
      'uncordon n1 -l role=x',
      '',
      "error: cannot specify both a node name and a --selector option\nSee 'kubectl uncordon -h' for help and examples\n",
    ],
    [
      'want more than an empty selector',
      'cordon --selector=',
      '',
      "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'\n",
    ],
    ['take a selector', 'cordon -lrole=x', 'node/n1 cordoned\nnode/n2 cordoned\n', ''],
    ['say of a node that it is so already', 'uncordon n1', 'node/n1 already uncordoned\n', ''],
    [
      'read all nodes first, and so do one named twice twice',
      'cordon n1 node/n1',
      'node/n1 cordoned\nnode/n1 cordoned\n',
      '',
    ],
    [
      'do nothing at all when one node is not there',
      'cordon n1 absent gone',
      '',
      'Error from server (NotFound): nodes "absent" not found\n',
    ],
    ['report a client dry run', 'cordon n1 --dry-run=client', 'node/n1 cordoned (dry run)\n', ''],
    ['report a server dry run', 'cordon n1 --dry-run=server', 'node/n1 cordoned (server dry run)\n', ''],
    ['have no --all', 'cordon --all', '', "error: unknown flag: --all\nSee 'kubectl cordon --help' for usage.\n"],
    ['take one kind of resource', 'cordon node/n1 pod/n1', '', 'error: you may only specify a single resource type\n'],
  ])('%s', (_, words, stdout, stderr) => {
    const result = run(words);
    expect(result).toMatchObject({ stdout, stderr, exitCode: stderr === '' ? 0 : 1 });
    if (stderr !== '' || words.includes('--dry-run')) expect(result.nodes).toEqual(NODES);
  });

  it('return the nodes with the changes of the controller', () => {
    const { nodes } = runKubectl(['kubectl', 'cordon', 'n2'], NODES, '2026-11-20T21:19:50Z');
    expect(nodes.find(({ metadata }) => metadata.name === 'n2')?.spec?.taints?.map(formatTaint)).toEqual([
      'a=b:NoSchedule',
      'c:NoExecute',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
    expect(runKubectl(['kubectl', 'uncordon', 'n2'], nodes).nodes).toEqual(NODES);
  });
});
