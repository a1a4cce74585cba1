import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  cancelDeletion,
  type DeletedPart,
  findDeletions,
  requestDeletion,
} from '../../../domain/people/deletion/deletion-requests.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { requireOwnFactor } from '../step-up/recent-proof.ts'
import { SETTINGS_PATH } from '../views/account-paths.ts'
import { type DeletionProblem, deleteAccountPage } from '../views/delete-account.tsx'

const PATH = '/account/delete'

/** A person asks to be forgotten here or deleted as a whole, and may change their mind. */
export function addDeletionRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    return await show(context, request, reply, session)
  })

  app.post(PATH, async (request, reply) => {
    request.queuedMail = true
    const session = await loadBrowserSession(request, PATH)
    const form = checkedForm(context.keyring, request, session)
    const part = partIn(form)
    if (part === undefined) {
      return await show(context, request, reply, session, { kind: 'nothing_chosen' }, 400)
    }
    // Leaving a school takes the passkeys there, and the school whose mails tell the person.
    await requireOwnFactor(request, session, PATH)
    const asking = { userId: session.person.id, part, requestId: request.id }
    const asked = await request.at.transaction((tx) => requestDeletion(tx, asking))
    if (asked.kind !== 'waiting') return await show(context, request, reply, session, asked, 409)
    return redirectTo(reply, request, 'site', `${SETTINGS_PATH}?done=deletion`)
  })

  app.post(`${PATH}/cancel`, async (request, reply) => {
    const session = await loadBrowserSession(request, SETTINGS_PATH)
    const part = partIn(checkedForm(context.keyring, request, session))
    const asking = { userId: session.person.id, requestId: request.id }
    const isCancelled =
      part !== undefined &&
      (await request.at.transaction((tx) => cancelDeletion(tx, { ...asking, part })))
    const done = isCancelled ? 'kept' : 'nothing-to-keep'
    return redirectTo(reply, request, 'site', `${SETTINGS_PATH}?done=${done}`)
  })
}

function partIn(form: URLSearchParams): DeletedPart | undefined {
  const part = form.get('part')
  return part === 'school' || part === 'account' ? part : undefined
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  problem?: DeletionProblem,
  status = 200,
): Promise<FastifyReply> {
  const page = deleteAccountPage({
    ...frameFor(context, request, reply, session),
    waiting: await findDeletions(request.at, session.person.id),
    timeZone: request.school.timeZone,
    problem,
  })
  return sendPage(reply, request, 'site', page, status)
}
