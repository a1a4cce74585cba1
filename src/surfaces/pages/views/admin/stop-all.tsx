import { Button, Form } from '../../../../foundation/html/components.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { ConfirmName } from '../confirm-name.tsx'
import { count, countUpTo } from '../words.ts'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

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
  return adminPage({
    ...props,
    here: paths.clients,
    title: isWrongName ? 'Error: Stop all' : 'Stop all',
    children: (
      <>
        <PageHead
          title="Stop all apps and assistants?"
          up={{ url: paths.clients, label: 'Apps and assistants' }}
        />
        <section class="panel panel-danger">
          <p>
            {`${count(apps, 'app or assistant loses', 'apps and assistants lose')} access at once, to the accounts of ${countUpTo(people, 'person', 'people', Infinity)}. Your own tools and websites that use this school are among them.`}
          </p>
          <p>
            Nothing is deleted. Each app may ask each person again, and works again where the person
            allows it. To prevent that for one app, switch it off on its page.
          </p>
          <Form action={paths.stopAll} formToken={props.viewer?.formToken ?? ''}>
            <ConfirmName
              name={plainText(props.school.name)}
              isWrong={isWrongName}
              nothing="Nothing was stopped."
            />
            <div class="actions">
              <Button look="danger">Stop all</Button>
              <ButtonLink look="plain" href={paths.clients}>
                Cancel
              </ButtonLink>
            </div>
          </Form>
        </section>
      </>
    ),
  })
}
