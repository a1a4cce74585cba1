import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countConnectedPeople } from '../../../../domain/analytics/school-totals.ts'
import { endAllAccess } from '../../../../domain/clients/end-all-access.ts'
import { peoplePerApp } from '../../../../domain/grants/people-of-app.ts'
import type { BrowserSession } from '../../../../domain/people/sessions.ts'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../account/delete-account.tsx'
import { checkedForm, redirectTo, sendPage } from '../../frame/page-request.ts'
import { adminPaths } from '../../frame/paths.ts'
import { count, countUpTo } from '../../frame/words.ts'
import type { AdminFrame } from '../frame/admin-page.tsx'
import { adminFrame, loadOperator, performAs } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'

/** Ends the access of all apps and assistants of the school, after its name was typed. */
export function addStopAllRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.stopAll, async (request, reply) => {
    const operator = await loadOperator(request)
    return await show(context, request, reply, operator)
  })

  app.post(adminPaths.stopAll, async (request, reply) => {
    const operator = await loadOperator(request, adminPaths.stopAll)
    const form = checkedForm(context.keyring, request, operator)
    if (!isNameTyped(form, request.school.name)) {
      return await show(context, request, reply, operator, 422)
    }
    await performAs(request, operator, endAllAccess, {})
    return redirectTo(reply, request, 'site', `${adminPaths.clients}?done=all-stopped`)
  })
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operator: BrowserSession,
  status = 200,
): Promise<FastifyReply> {
  const [apps, people] = await Promise.all([
    peoplePerApp(request.at),
    countConnectedPeople(request.at),
  ])
  const page = stopAllPage({
    ...adminFrame(context, request, reply, operator),
    apps: apps.size,
    people,
    isWrongName: status !== 200,
  })
  return sendPage(reply, request, 'site', page, status)
}

interface StopAllProps extends AdminFrame {
  /** Those that people have let in. */
  apps: number
  /** How many people have connected at least one app. */
  people: number
  isWrongName: boolean
}

/** The question before the access of all apps of the school ends. */
export function stopAllPage(props: StopAllProps): string {
  const { apps, people, isWrongName } = props
  return questionPage({
    ...props,
    here: adminPaths.clients,
    title: 'Stop all',
    question: 'Stop all apps and assistants?',
    back: { url: adminPaths.clients, label: 'Apps and assistants' },
    tone: 'danger',
    consequence: (
      <>
        <p>
          {`${count(apps, 'app or assistant loses', 'apps and assistants lose')} access at once, to the accounts of ${countUpTo(people, 'person', 'people', Infinity)}. Your own tools and websites that use this school are among them.`}
        </p>
        <p>
          Nothing is deleted. Each app may ask each person again, and works again where the person
          allows it. To prevent that for one app, switch it off on its page.
        </p>
      </>
    ),
    form: {
      path: adminPaths.stopAll,
      typed: {
        name: plainText(props.school.name),
        isWrong: isWrongName,
        nothing: 'Nothing was stopped.',
      },
      button: 'Stop all',
    },
  })
}
