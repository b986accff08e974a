/** Copies what the chart shares with the kustomize manifests, and writes what helm makes of the examples: npm run render-chart. */
import { copyFile, writeFile } from 'node:fs/promises';
import { exampleNames, HASH_FILE, hashOfSources, HELM, renderChart, RENDERED, SHARED_FILES } from './chart.js';

if (HELM === undefined) throw new Error('there is no helm: put it into the PATH, or set HELM_PATH');
for (const { from, to } of SHARED_FILES) await copyFile(from, to);
for (const name of await exampleNames()) await writeFile(`${RENDERED}/${name}.yaml`, await renderChart(name));
await writeFile(HASH_FILE, `${await hashOfSources()}\n`);
