import { useParams } from '@tanstack/react-router';

/** The cluster that the page is about. */
export function useCluster(): string {
  return useParams({ from: '/clusters/$cluster/$view' }).cluster;
}
