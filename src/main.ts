#!/usr/bin/env node
import { runCommandLine } from './cli/command-line.ts'

const { stdout, stderr, stdin } = process
// The reader of a pipe has seen enough, as `head` has. What is left to write is dropped, and the
// command ends as usual, with what it has to clean up.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  stdout,
  stderr,
  stdin,
})
