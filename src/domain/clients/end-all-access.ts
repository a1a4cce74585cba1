import { z } from 'zod'
import { endAllAccessJob } from '../grants/end-all-access-job.ts'
import { withdrawAllCodes } from '../grants/withdraw-codes.ts'
import { startJob } from '../jobs/start-job.ts'
import { count } from '../operation/fields.ts'
import { unscopedWrite } from '../operation/without-scope.ts'
import { raiseAllAccessRounds } from './access-round.ts'

/**
 * Ends all that people gave any client of the school: its round goes up, which ends every authorization with the commit, and a job
 * marks the rows later. Clients may ask people again.
 */
export const endAllAccess = unscopedWrite({
  name: 'clients.end_all_access',
  title: 'End all access of all clients',
  summary:
    'Ends every authorization that people gave; the tokens of all clients stop working at once.',
  kind: 'change',
  input: z.strictObject({}),
  output: z.strictObject({ clients: count }),
  async run(tx, actor) {
    await withdrawAllCodes(tx)
    const clients = await raiseAllAccessRounds(tx)
    if (clients > 0) {
      const title = 'Clean up after the end of all access of all apps'
      await startJob(tx, actor, endAllAccessJob, { input: {}, title })
    }
    return { clients }
  },
  audit: ({ clients }) => [
    { action: 'authorization.ended', detail: { by: 'operator', all_clients: clients } },
  ],
})
