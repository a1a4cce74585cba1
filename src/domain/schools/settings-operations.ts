import { z } from 'zod'
import { unscopedWrite } from '../operation/without-scope.ts'
import { type SchoolChanges, schoolChanges } from './school-details.ts'
import { writeSchool } from './write-school.ts'

export const changeSettings = unscopedWrite({
  name: 'settings.change',
  title: 'Change the settings of the school',
  summary: 'Changes the given fields, address and connections included; all others stay unchanged.',
  needsProof: letsMoreIn,
  kind: 'change',
  input: schoolChanges,
  output: z.strictObject({ changed: z.array(z.string()) }),
  run: async (tx, actor, changes) => ({ changed: await writeSchool(tx, actor, changes) }),
  // writeSchool writes the entry, also for school.change.
  audit: () => [],
})

/** Whether the changes let more people, apps or players of videos in, move the school, or end a protection of what they hold. */
function letsMoreIn(changes: SchoolChanges): boolean {
  const { origin, subdomain, variant, document_hosts, video_hosts } = changes
  return (
    [origin, subdomain, variant, document_hosts, video_hosts].some((one) => one !== undefined) ||
    changes.sign_up === true ||
    changes.mcp_connections === true ||
    changes.open_registration === true ||
    changes.end_authorization_on_replay === false
  )
}
