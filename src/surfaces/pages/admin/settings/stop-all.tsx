import type { FastifyInstance, FastifyReply } from 'fastify'
import { countConnectedPeople } from '../../../../domain/analytics/school-totals.ts'
import { endAllAccess } from '../../../../domain/clients/end-all-access.ts'
import { peoplePerApp } from '../../../../domain/grants/people-of-app.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { count, countUpTo } from '../../frame/words.ts'
import type { AdminFrame } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'

/** Ends the access of all apps and assistants of the school, after its name was typed. */
export function addStopAllRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.stopAll, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    return await show(visit)
  })

  app.post(adminPaths.stopAll, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply, adminPaths.stopAll)
    const form = visit.form()
    if (!isNameTyped(form, request.school.name)) {
      return await show(visit, 422)
    }
    await visit.perform(endAllAccess, {})
    return visit.goTo(`${adminPaths.clients}?done=all-stopped`)
  })
}

async function show(visit: OperatorVisit, status = 200): Promise<FastifyReply> {
  const { request } = visit
  const [apps, people] = await Promise.all([
    peoplePerApp(request.schoolDb),
    countConnectedPeople(request.schoolDb),
  ])
  const page = stopAllPage({
    ...visit.frame(),
    apps: apps.size,
    people,
    isWrongName: status !== 200,
  })
  return visit.page(page, status)
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
