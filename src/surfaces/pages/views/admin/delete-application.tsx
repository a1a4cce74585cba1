import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Address, Name } from '../../../../foundation/html/components.tsx'
import { type AdminFrame, applicationPath } from './admin-page.tsx'
import { PeopleWithAccess } from './people.tsx'
import { questionPage } from './question-page.tsx'

interface DeleteApplicationProps extends AdminFrame {
  application: ListedClient
  /** With a live authorization. */
  people: number
  /** Whether another name was typed. */
  isWrongName?: boolean
  /** A tool has another page than an application. */
  kind?: 'application' | 'tool'
  back?: string
}

export function deleteApplicationPage(props: DeleteApplicationProps): string {
  const { application, people, kind = 'application' } = props
  const { clientId, name } = application
  const back = props.back ?? applicationPath(clientId)
  return questionPage({
    ...props,
    here: back,
    title: `Delete ${kind}`,
    question: (
      <>
        Delete <Name text={name} fallback={clientId} />?
      </>
    ),
    back: { url: back, label: `Back to the ${kind}` },
    tone: 'danger',
    consequence: (
      <>
        <PeopleWithAccess people={people} loss="Their access ends at once." />
        <p>
          <Address text={clientId} /> stops working. The same id cannot be used again.
        </p>
      </>
    ),
    form: {
      path: `${back}/delete`,
      typed: { name: name || clientId, isWrong: props.isWrongName === true },
      button: 'Delete',
    },
  })
}
