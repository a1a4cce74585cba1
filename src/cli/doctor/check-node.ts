import { type Finding, fine, note } from './finding.ts'
import { NODE_ENDS, RECOMMENDED_NODE, TESTED_NODES } from './node-releases.ts'

const CHECK = 'node'

/** Whether this Node still gets security fixes, and whether our tests run on it. */
export function checkNode(version: string, now: Date): Finding {
  const major = Number.parseInt(version, 10)
  const end = NODE_ENDS[major]
  const isPast = end === undefined ? major < RECOMMENDED_NODE : dayOf(now) > end
  if (isPast) {
    return note(
      CHECK,
      `Node ${version} gets no security fixes any more${end === undefined ? '' : `, since ${end}`}.`,
      `install Node ${RECOMMENDED_NODE}`,
    )
  }
  if (!TESTED_NODES.some((tested) => tested === major)) {
    return note(
      CHECK,
      `Schoolgate is not tested on Node ${version}, only on ${TESTED_NODES.join(', ')}.`,
      `install Node ${RECOMMENDED_NODE}`,
    )
  }
  return fine(CHECK, `Node ${version} gets security fixes until ${end}.`)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
