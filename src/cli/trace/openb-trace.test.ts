import { describe, expect, it } from '@jest/globals';
import { GPU_RESOURCE, MODEL_LABEL, readNodes, readPods, TraceError } from './openb-trace.js';

const NODES = 'sn,cpu_milli,memory_mib,gpu,model\nn1,32000,262144,0,\nn2,96000,786432,8,G2\n';
const PODS = `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time
late,6000,12288,1,460,,LS,20
early,12000,16384,2,1000,V100M16|V100M32,LS,3
`;

describe('an openb trace', () => {
  it('has nodes with their capacity, and their GPU model as a label', () => {
    const [first, second] = readNodes(NODES, 'nodes.csv');
    expect(first?.status?.allocatable).toEqual({ cpu: '32000m', memory: '262144Mi', pods: '110' });
    expect(first?.metadata.labels).toEqual({ 'kubernetes.io/hostname': 'n1' });
    expect(second?.status?.allocatable).toMatchObject({ [GPU_RESOURCE]: '8000' });
    expect(second?.metadata.labels).toMatchObject({ [MODEL_LABEL]: 'G2' });
  });

  it('has pods in order of creation, with GPU shares and the GPU models that they accept', () => {
    const [early, late] = readPods(PODS, 'pods.csv');
    expect(early?.metadata.name).toBe('early');
    expect(early?.spec.containers[0]?.resources?.requests).toMatchObject({ cpu: '12000m', [GPU_RESOURCE]: '2000' });
    const required = early?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    expect(required?.nodeSelectorTerms?.[0]?.matchExpressions?.[0]?.values).toEqual(['V100M16', 'V100M32']);
    expect(late?.spec.containers[0]?.resources?.requests).toMatchObject({ [GPU_RESOURCE]: '460' });
    expect(late?.spec.affinity).toBeUndefined();
  });

  it.each<[string, string, number, string]>([
    ['a column that is not there', 'sn,cpu_milli\nn1,1\n', 1, 'these columns are missing: memory_mib, gpu, model'],
    ['an invalid number', NODES.replace('96000', 'many'), 3, 'cpu_milli must be a whole number, not "many"'],
    ['an empty cell', NODES.replace(',0,', ',,'), 2, 'gpu must be a whole number, not ""'],
  ])('with %s is rejected, naming the line', (_, text, line, why) => {
    expect(() => readNodes(text, 'nodes.csv')).toThrow(new TraceError('nodes.csv', line, why));
  });
});
