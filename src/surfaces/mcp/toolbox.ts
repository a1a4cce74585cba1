import type { Caller } from '../../domain/access/caller.ts'
import type { School } from '../../domain/schools/school.ts'
import { MEMBER_TOOLS } from './member/member-tools.ts'
import { PUBLIC_TOOLS } from './public/public-tools.ts'
import { SIGN_IN } from './sign-in.ts'
import type { Tool } from './tool.ts'
import { type WireTool, wireTool } from './wire-tool.ts'

/** In the order in which they are listed, the same for everybody. */
const TOOLS: readonly Tool[] = [SIGN_IN, ...PUBLIC_TOOLS, ...MEMBER_TOOLS]

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))
const onTheWire = TOOLS.map((tool) => ({ tool, wire: wireTool(tool) }))

export function findTool(name: string, school: School): Tool | undefined {
  const tool = byName.get(name)
  return tool?.existsAt(school) ? tool : undefined
}

/** What the caller may use; nothing else is shown. */
export function listTools(caller: Caller | undefined, school: School): WireTool[] {
  return onTheWire
    .filter(({ tool }) => tool.existsAt(school) && tool.isListedFor(caller))
    .map(({ wire }) => wire)
}
