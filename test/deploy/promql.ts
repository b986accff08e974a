import { parser } from '@prometheus-io/lezer-promql';

/** The part of a syntax tree that is read here. */
interface SyntaxNode {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly type: { readonly isError: boolean };
  readonly firstChild: SyntaxNode | null;
  readonly nextSibling: SyntaxNode | null;
}

/** What an expression selects, with the labels by which it selects it and to which its aggregations reduce it. */
export interface Selection {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** @throws {Error} if Prometheus does not understand the expression; variables of Grafana are replaced first */
export function parseExpression(expression: string): readonly Selection[] {
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h');
  const selections: Selection[] = [];
  const textOf = ({ from, to }: SyntaxNode): string => text.slice(from, to);
  const visit = (node: SyntaxNode, grouping: readonly string[]): void => {
    if (node.name === 'VectorSelector') {
      const name = childrenOf(node).find((child) => child.name === 'Identifier');
      if (name === undefined) throw new Error(`${text}: a selector has no metric`);
      const labels = descendants(node).filter((child) => child.name === 'LabelName');
      selections.push({ metric: textOf(name), labels: [...labels.map(textOf), ...grouping] });
      return;
    }
    let inside = grouping;
    if (node.name === 'AggregateExpr') {
      const by = childrenOf(node).filter((child) => child.name === 'AggregateModifier');
      inside = [
        ...grouping,
        ...by
          .flatMap(descendants)
          .filter((child) => child.name === 'LabelName')
          .map(textOf),
      ];
    }
    for (const child of childrenOf(node)) visit(child, inside);
  };
  const tree = parser.parse(text).topNode as SyntaxNode;
  const wrong = descendants(tree).find(({ type }) => type.isError);
  if (wrong !== undefined) throw new Error(`Prometheus does not understand ${text} at character ${wrong.from}`);
  visit(tree, []);
  return selections;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

const descendants = (node: SyntaxNode): SyntaxNode[] =>
  childrenOf(node).flatMap((child) => [child, ...descendants(child)]);
