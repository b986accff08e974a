import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { CLUSTER_VIEWS, NODE_VIEW } from '../views.js';
import { NotFound } from './not-found.js';

/** The view of a cluster that the address names. */
export function ClusterPage() {
  const { view, cluster } = useParams({ from: '/clusters/$cluster/$view' });
  const found = [...CLUSTER_VIEWS, NODE_VIEW].find(({ path }) => path === view);
  if (found === undefined) return <NotFound />;
  const { Page, title } = found;
  return (
    <Suspense fallback={<p className="pending">Loading…</p>}>
      <title>{`${title} · ${cluster} · kube-placement`}</title>
      <Page key={cluster} />
    </Suspense>
  );
}
