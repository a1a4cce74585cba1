import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Name } from '../../../../foundation/html/components.tsx'
import { type AdminFrame, paths } from './admin-page.tsx'
import { PeopleWithAccess } from './people.tsx'
import { questionPage } from './question-page.tsx'

interface SwitchOffProps extends AdminFrame {
  client: ListedClient
  /** With a live authorization. */
  people: number
  /** The page of the client. */
  back: string
}

/** The question before a client of any kind is switched off at this school. */
export function switchOffPage(props: SwitchOffProps): string {
  const { client, people, back } = props
  const { clientId, name } = client
  return questionPage({
    ...props,
    here: back,
    title: 'Switch off',
    question: (
      <>
        Switch <Name text={name} fallback={clientId} /> off?
      </>
    ),
    back: { url: back, label: 'Back to the app' },
    tone: 'danger',
    consequence: (
      <>
        <PeopleWithAccess people={people} loss="It stops working for them at once." />
        <p>
          It gets no new authorization and no new tokens at this school. You can switch it on again:
          what people allowed stays, and their tokens work again.
        </p>
      </>
    ),
    form: {
      path: paths.standing,
      hidden: { client: clientId, standing: 'off' },
      button: 'Switch off',
    },
  })
}
