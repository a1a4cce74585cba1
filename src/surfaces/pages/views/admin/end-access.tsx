import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Name } from '../../../../foundation/html/components.tsx'
import { type AdminFrame, paths } from './admin-page.tsx'
import { PeopleWithAccess } from './people.tsx'
import { questionPage } from './question-page.tsx'

interface EndAccessProps extends AdminFrame {
  client: ListedClient
  /** With a live authorization. */
  people: number
  /** The page of the client. */
  back: string
}

export function endAccessPage(props: EndAccessProps): string {
  const { client, people, back } = props
  const { clientId, name } = client
  return questionPage({
    ...props,
    here: back,
    title: 'End all access',
    question: (
      <>
        End all access of <Name text={name} fallback={clientId} />?
      </>
    ),
    back: { url: back, label: 'Back to the app' },
    tone: 'danger',
    consequence: (
      <>
        <PeopleWithAccess people={people} loss="All its tokens stop working at once." />
        <p>The app may ask people again. To prevent that, switch it off.</p>
      </>
    ),
    form: { path: paths.endAccess, hidden: { client: clientId }, button: 'End all access' },
  })
}
