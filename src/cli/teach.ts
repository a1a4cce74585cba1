import type { Command } from 'commander'
import { COMMAND } from '../foundation/text/command-name.ts'

/** Ends the help of a command with its effect on the installation, and an example. */
export function teach(command: Command, happens: string, example: string): Command {
  return command.addHelpText('after', `\n${wrap(happens)}\n\nExample:\n  $ ${COMMAND} ${example}`)
}

const WIDTH = 80

function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < WIDTH) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
