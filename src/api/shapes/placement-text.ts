import { quoted, stringifyJson } from '../../core/json/lossless-json.js';
import type { NodePlacementShape, PlacementShape, ReasonShape } from './placement-shape.js';
import type { Plain } from './plain.js';

/**
 * A placement as JSON, the same value as `stringifyJson` writes, its nodes last. What many nodes share, lists of reasons and
 * taints and the fields that a reason is about, is one object in memory, and is written once.
 */
export function placementText({ nodes, ...head }: Plain<PlacementShape>): string {
  const writer = new NodeWriter();
  let text = '';
  for (const node of nodes) text += `${text === '' ? '' : ','}${writer.node(node)}`;
  return `${stringifyJson(head).slice(0, -1)},"nodes":[${text}]}`;
}

class NodeWriter {
  private readonly texts = new Map<object, string>();

  node(node: Plain<NodePlacementShape>): string {
    const { reasons, untoleratedTaints, toleratedTaints, firstFail, fixes } = node;
    return (
      `{"node":${quoted(node.node)},"verdict":"${node.verdict}"` +
      `,"firstFail":${firstFail === null ? 'null' : quoted(firstFail)}` +
      `,"reasons":${this.reasons(reasons)}` +
      `,"untoleratedTaints":${this.shared(untoleratedTaints)}` +
      `,"toleratedTaints":${this.shared(toleratedTaints)}` +
      `,"fixes":${fixes === null ? 'null' : stringifyJson(fixes)}}`
    );
  }

  private reasons(reasons: readonly Plain<ReasonShape>[] | null): string {
    if (reasons === null) return 'null';
    let text = this.texts.get(reasons);
    if (text === undefined) {
      text = `[${reasons.map((reason) => this.reason(reason)).join(',')}]`;
      this.texts.set(reasons, text);
    }
    return text;
  }

  private reason({ plugin, code, first, status, message, facts, fields }: Plain<ReasonShape>): string {
    return (
      `{"plugin":${quoted(plugin)},"code":${quoted(code)},"first":${first}` +
      `,"status":${quoted(status)},"message":${quoted(message)}` +
      `,"facts":${stringifyJson(facts)},"fields":${this.shared(fields)}}`
    );
  }

  /** Lists that are the same object are written once. */
  private shared(list: readonly object[] | null): string {
    if (list === null) return 'null';
    if (list.length === 0) return '[]';
    let text = this.texts.get(list);
    if (text === undefined) this.texts.set(list, (text = stringifyJson(list)));
    return text;
  }
}
