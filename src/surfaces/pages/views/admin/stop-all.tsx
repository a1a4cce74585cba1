import { plainText } from '../../../../foundation/html/plain-text.ts'
import { count, countUpTo } from '../words.ts'
import { type AdminFrame, paths } from './admin-page.tsx'
import { questionPage } from './question-page.tsx'

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
    here: paths.clients,
    title: 'Stop all',
    question: 'Stop all apps and assistants?',
    back: { url: paths.clients, label: 'Apps and assistants' },
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
      path: paths.stopAll,
      typed: {
        name: plainText(props.school.name),
        isWrong: isWrongName,
        nothing: 'Nothing was stopped.',
      },
      button: 'Stop all',
    },
  })
}
