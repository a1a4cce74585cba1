#!/usr/bin/env node
import { runCommandLine } from './cli/command-line.ts'

const { stdout, stderr, stdin } = process
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  stdout,
  stderr,
  stdin,
})
