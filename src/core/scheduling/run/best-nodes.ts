/**
 * A limited number of the best nodes: those with the greatest totals; equal totals are in order of name (the order of node
 * indexes).
 */
export class BestNodes {
  private readonly totals: number[] = [];
  readonly nodes: number[] = [];

  constructor(private readonly most: number) {}

  add(node: number, total: number): void {
    const { totals, nodes, most } = this;
    let at = nodes.length;
    while (at > 0 && (totals[at - 1]! < total || (totals[at - 1] === total && nodes[at - 1]! > node))) at--;
    if (at === most) return;
    totals.splice(at, 0, total);
    nodes.splice(at, 0, node);
    if (nodes.length <= most) return;
    totals.pop();
    nodes.pop();
  }
}
