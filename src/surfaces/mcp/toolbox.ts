import type { Caller } from '../../domain/grants/caller.ts'
import type { School } from '../../domain/schools/school.ts'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import type { ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { furtherTools, withChanges } from './further-tools.ts'
import { MEMBER_TOOLS } from './member/member-tools.ts'
import { OPERATOR_TOOLS } from './operator/operator-tools.ts'
import { PUBLIC_TOOLS } from './public/public-tools.ts'
import { SIGN_IN } from './sign-in.ts'
import type { Tool } from './tool.ts'
import type { WireTool } from './wire-tool.ts'

/**
 * In the order in which they are listed, the same for all callers. The first one needs neither a token
 * nor an argument, because people who test a connection call the first one.
 */
const TOOLS: readonly Tool[] = [...PUBLIC_TOOLS, SIGN_IN, ...MEMBER_TOOLS, ...OPERATOR_TOOLS]

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))

export function findTool(name: string, school: School): Tool | undefined {
  const tool = byName.get(name)
  return tool?.existsAt(school) ? tool : undefined
}

const memberTools: ReadonlySet<Tool> = new Set(MEMBER_TOOLS)

/** Whether the tool is about a member's own data at the school of the token. */
export const isOfMember = (tool: Tool): boolean => memberTools.has(tool)

/** The tools of this school, in order. */
function toolsAt(school: School): readonly Tool[] {
  return TOOLS.filter((tool) => tool.existsAt(school))
}

/** The tools that the caller's login could open with more scopes; empty if there are none. */
export function furtherToolsFor(caller: Caller, school: School): string {
  return furtherTools(toolsAt(school), caller)
}

const MAX_LISTS = 500

/** What callers may use; nothing else is listed. Kept by the three things that a list depends on. */
export class ToolLists {
  readonly #lists = new LruCache<readonly WireTool[]>(MAX_LISTS)
  readonly #further = new LruCache<string>(MAX_LISTS)

  for(caller: Caller | undefined, school: School, endpoint: ToolEndpoint): readonly WireTool[] {
    const who = caller === undefined ? 'anonymous' : `${caller.lacksSchool} : ${caller.scopes}`
    return recall(this.#lists, `${endpoint} ${school.variant} ${who}`, () => {
      const tools = toolsAt(school).filter(
        (tool) => caller?.lacksSchool !== true || !isOfMember(tool),
      )
      return tools.flatMap((tool) => {
        const wire = tool.wireFor(caller, endpoint)
        if (wire === undefined) return []
        const changes = tools.filter(({ name }) => tool.changedBy.includes(name))
        return withChanges(wire, changes, caller)
      })
    })
  }

  /** The same as `furtherToolsFor`, kept, because every message needs it. */
  furtherFor(caller: Caller, school: School): string {
    const key = `${school.variant} ${caller.audience} ${caller.scopes}`
    return recall(this.#further, key, () => furtherToolsFor(caller, school))
  }
}

function recall<V extends object | string>(kept: LruCache<V>, key: string, make: () => V): V {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  kept.set(key, made, 1)
  return made
}
