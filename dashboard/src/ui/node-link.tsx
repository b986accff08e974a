import { Link } from '@tanstack/react-router';
import { useCluster } from '../api/cluster.js';
import { useMoment } from '../api/moment.js';

/** The name of a node, which leads to its page, as of the moment that this page shows. */
export function NodeLink({ name }: { readonly name: string }) {
  const cluster = useCluster();
  const moment = useMoment();
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

/** The first names of a list, each with its link. */
export function NodeLinks({ names, most }: { readonly names: readonly string[]; readonly most: number }) {
  return names.slice(0, most).map((name, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <NodeLink name={name} />
    </span>
  ));
}
