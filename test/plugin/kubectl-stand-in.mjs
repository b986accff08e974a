#!/usr/bin/env node
/**
 * The commands of kubectl that the plugin needs, for machines without kubectl: `config view --minify`, `proxy`, and `get nodes
 * --output=name`, with a token and a CA in one kubeconfig.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { pipeline } from 'node:stream';
import { json } from 'node:stream/consumers';

const [command, ...rest] = process.argv.slice(2);
const options = Object.fromEntries(
  rest.filter((one) => one.startsWith('--')).map((one) => one.slice(2).split(/=(.*)/s, 2)),
);
const config = JSON.parse(await readFile(options.kubeconfig ?? process.env.KUBECONFIG, 'utf8'));
const name = options.context ?? config['current-context'];
const context = config.contexts.find((one) => one.name === name)?.context;
if (context === undefined) {
  process.stderr.write(`error: cannot locate context ${name}\n`);
  process.exit(1);
}
const { server, 'certificate-authority-data': ca } = config.clusters.find(
  (one) => one.name === context.cluster,
).cluster;
const { token } = config.users.find((one) => one.name === context.user).user;

if (command === 'config') {
  process.stdout.write(JSON.stringify({ 'current-context': name, contexts: [{ name, context }] }));
} else if (command === 'get') {
  const headers = { authorization: `Bearer ${token}` };
  request(`${server}/api/v1/nodes`, { ca: Buffer.from(ca, 'base64'), headers }, async (response) => {
    const { items } = await json(response);
    process.stdout.write(items.map(({ metadata }) => `node/${metadata.name}\n`).join(''));
  }).end();
} else {
  const proxy = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    if (new RegExp(options['reject-methods']).test(method)) return void answer.writeHead(405).end();
    const sent = request(
      `${server}${url}`,
      { method, ca: Buffer.from(ca, 'base64'), headers: { accept: headers.accept, authorization: `Bearer ${token}` } },
      (response) => {
        answer.writeHead(response.statusCode, response.headers);
        // An answer that is cut is cut for the plugin, too.
        pipeline(response, answer, () => undefined);
      },
    );
    sent.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      answer.writeHead(502).end();
    });
    sent.end();
  });
  proxy.listen(options['unix-socket'], () => process.stdout.write(`Starting to serve on ${options['unix-socket']}\n`));
  process.on('SIGTERM', () => process.exit(0));
}
