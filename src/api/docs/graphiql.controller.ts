import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../access/require-permission.js';
import { CSS, JAVASCRIPT, PackageFiles, pageHeaders } from './package-files.js';

const FILES = new PackageFiles({
  'react.js': { package: 'react', path: 'umd/react.production.min.js', mediaType: JAVASCRIPT },
  'react-dom.js': { package: 'react-dom', path: 'umd/react-dom.production.min.js', mediaType: JAVASCRIPT },
  'graphiql.js': { package: 'graphiql', path: 'graphiql.min.js', mediaType: JAVASCRIPT },
  'graphiql.css': { package: 'graphiql', path: 'graphiql.min.css', mediaType: CSS },
});

// URLs are relative, so that the page works behind any path prefix.
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kube-placement GraphiQL</title>
<link rel="stylesheet" href="graphiql/assets/graphiql.css">
<link rel="icon" href="docs/assets/favicon-32x32.png">
<style>html, body, #graphiql { height: 100%; margin: 0; }</style>
<div id="graphiql"></div>
<script src="graphiql/assets/react.js"></script>
<script src="graphiql/assets/react-dom.js"></script>
<script src="graphiql/assets/graphiql.js"></script>
<script src="graphiql/start.js"></script>
</html>
`;

const START = `const defaultQuery = \`# What is stored; press the play button.
{
  clusters(first: 10) {
    edges {
      node {
        name
        labels
      }
    }
  }
}
\`;
// Relative to the page, as everything here, but a WebSocket needs the whole address. The headers of the page's editor come along as the
// parameters of the connection.
const socketUrl = new URL('graphql', window.location.href);
socketUrl.protocol = socketUrl.protocol === 'https:' ? 'wss:' : 'ws:';
const fetcher = GraphiQL.createFetcher({ url: 'graphql', subscriptionUrl: socketUrl.href });
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, { fetcher, defaultQuery, shouldPersistHeaders: false }),
);
`;

/** GraphiQL served from installed packages; the page that ships with Mercurius loads its scripts from another host. */
@Controller('graphiql')
export class GraphiqlController {
  @Get()
  @Public()
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    pageHeaders(reply);
    return PAGE;
  }

  @Get('start.js')
  @Public()
  start(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type(JAVASCRIPT);
    return START;
  }

  @Get('assets/:file')
  @Public()
  asset(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return FILES.send(file, reply);
  }
}
