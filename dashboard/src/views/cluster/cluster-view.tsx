import { useQuery } from '@tanstack/react-query';
import { useCluster } from '../../api/cluster.js';
import { useMoment } from '../../api/moment.js';
import { overviewOf } from '../../api/queries.js';
import { Answer } from '../../ui/answer.js';
import { TaintText } from '../../ui/taint.js';

/** One cluster: its nodes, its taints, what is odd. */
export default function ClusterView() {
  const cluster = useCluster();
  const overview = useQuery(overviewOf(cluster, useMoment()));
  return (
    <section className="panel">
      <h1>
        <bdi>{cluster}</bdi>
      </h1>
      <Answer of={overview} what="the overview">
        {({ nodes, taints, pods }) => (
          <>
            <p>
              {nodes.ready} of {nodes.total} nodes are ready, {nodes.unschedulable} cordoned; {pods.unscheduled} of{' '}
              {pods.total} pods wait for a node.
            </p>
            <table>
              <caption>Taints</caption>
              <thead>
                <tr>
                  <th scope="col">Taint</th>
                  <th scope="col">Nodes</th>
                </tr>
              </thead>
              <tbody>
                {taints.map((taint) => (
                  <tr key={`${taint.key}=${taint.value}:${taint.effect}`}>
                    <th scope="row">
                      <TaintText taint={taint} />
                    </th>
                    <td className="number">{taint.nodes}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
      </Answer>
    </section>
  );
}
