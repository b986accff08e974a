#!/usr/bin/env node
import { Command } from 'commander';
import { agentCommand } from './agent.js';

await new Command('kube-placement')
  .description('What runs outside the service: the agent of a cluster that the service cannot reach.')
  .addCommand(agentCommand())
  .parseAsync();
