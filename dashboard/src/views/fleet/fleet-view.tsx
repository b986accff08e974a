import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clustersAfter, overviewOf } from '../../api/queries.js';
import { Answer } from '../../ui/answer.js';
import { Time } from '../../ui/time.js';

/** Every cluster, and where to look first. */
export default function FleetView() {
  const clusters = useQuery(clustersAfter(undefined));
  return (
    <section className="panel">
      <title>Fleet · kube-placement</title>
      <h1>Fleet</h1>
      <Answer of={clusters} what="the clusters">
        {({ items }) =>
          items.length === 0 ? (
            <p>No cluster is stored yet. Send a snapshot, or connect a cluster.</p>
          ) : (
            <table>
              <caption className="sr-only">Clusters</caption>
              <thead>
                <tr>
                  <th scope="col">Cluster</th>
                  <th scope="col">State</th>
                  <th scope="col">Nodes</th>
                  <th scope="col">Not ready</th>
                  <th scope="col">Cordoned</th>
                  <th scope="col">Tainted</th>
                  <th scope="col">Pending pods</th>
                  <th scope="col">Findings</th>
                  <th scope="col">Unconfirmed</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ name }) => (
                  <ClusterRow key={name} cluster={name} />
                ))}
              </tbody>
            </table>
          )
        }
      </Answer>
    </section>
  );
}

function ClusterRow({ cluster }: { readonly cluster: string }) {
  const { data, error } = useQuery(overviewOf(cluster, {}));
  return (
    <tr>
      <th scope="row">
        <Link to="/clusters/$cluster" params={{ cluster }}>
          <bdi>{cluster}</bdi>
        </Link>
      </th>
      {data === undefined ? (
        <td colSpan={8}>{error?.message ?? '…'}</td>
      ) : (
        <>
          <td>
            <Time at={data.basis.capturedAt} />
          </td>
          <td className="number">{data.nodes.total}</td>
          <td className="number">{data.nodes.notReady}</td>
          <td className="number">{data.nodes.unschedulable}</td>
          <td className="number">{data.nodes.tainted}</td>
          <td className="number">{data.pods.unscheduled}</td>
          <td>
            {data.findings.error} errors, {data.findings.warning} warnings
          </td>
          <td className="number">{data.unconfirmedNodes}</td>
        </>
      )}
    </tr>
  );
}
