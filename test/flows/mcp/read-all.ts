import { expect } from 'vitest'
import type { TestSchool, World } from '../../support/world.ts'
import { callTool } from './tool-endpoint.ts'

export interface LongCall {
  readonly world: World
  readonly school: Pick<TestSchool, 'origin'>
  readonly token?: string | undefined
  readonly tool: string
  readonly given?: object
}

/**
 * Follows the cursors of a tool to the end. Checks that each answer is valid and no longer than was
 * asked for.
 */
export async function readAll<A extends object>(
  { world, school, token, tool, given = {} }: LongCall,
  max = 80_000,
): Promise<A[]> {
  const answers: A[] = []
  let cursor: unknown
  do {
    const asked = {
      ...given,
      ...(max === 80_000 ? {} : { max_characters: max }),
      ...(cursor === undefined ? {} : { cursor }),
    }
    const result = await callTool(world, school, tool, asked, { token })
    const text = result.content[0]?.text ?? ''
    expect(result.isError, text).not.toBe(true)
    expect(text.length).toBeLessThanOrEqual(max)
    expect(JSON.parse(text)).toEqual(result.structuredContent)
    answers.push(result.structuredContent as A)
    cursor = result.structuredContent?.nextCursor
    expect(answers.length).toBeLessThan(1000)
  } while (typeof cursor === 'string')
  return answers
}
