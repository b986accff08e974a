/**
 * The few nodes that come first: those of which the least is taken, by name (which is the order of their indices) where shares are
 * equal.
 */
export class FreestNodes {
  private readonly shares: number[] = [];
  readonly nodes: number[] = [];

  constructor(private readonly most: number) {}

  get isFull(): boolean {
    return this.nodes.length === this.most;
  }

  add(share: number, node: number): void {
    const { shares, nodes, most } = this;
    let at = nodes.length;
    while (at > 0 && (shares[at - 1]! > share || (shares[at - 1]! === share && nodes[at - 1]! > node))) at--;
    if (at === most) return;
    shares.splice(at, 0, share);
    nodes.splice(at, 0, node);
    if (nodes.length <= most) return;
    shares.pop();
    nodes.pop();
  }
}
