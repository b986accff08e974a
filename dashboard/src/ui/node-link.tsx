import { Link } from '@tanstack/react-router';
import type { Moment } from '../api/moment.js';

/** The name of a node, which leads to its page. */
export function NodeLink({
  cluster,
  moment,
  name,
}: {
  readonly cluster: string;
  readonly moment: Moment;
  readonly name: string;
}) {
  return (
    <Link
      className="node-link"
      to="/clusters/$cluster/$view"
      params={{ cluster, view: 'node' }}
      search={{ ...moment, node: name }}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}
