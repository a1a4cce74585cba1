export interface Instruction {
  readonly instruction: string
  readonly value: string
}

/** The instructions of each stage. Enough for our own Dockerfile: no here-documents, no escapes. */
export function instructionsOf(text: string): readonly (readonly Instruction[])[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, instruction = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (instruction === 'FROM') stages.push([])
    stages.at(-1)?.push({ instruction, value })
  }
  return stages
}
