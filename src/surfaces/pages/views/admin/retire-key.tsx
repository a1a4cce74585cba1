import { Button, Form } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { ConfirmName } from '../confirm-name.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

interface RetireKeyProps extends AdminFrame {
  kid: string
  isWrongName: boolean
}

/** The question before a key can sign no more. */
export function retireKeyPage(props: RetireKeyProps): string {
  const { kid, isWrongName } = props
  return adminPage({
    ...props,
    here: paths.keys,
    title: isWrongName ? 'Error: Retire a signing key' : 'Retire a signing key',
    children: (
      <>
        <PageHead
          title="Retire this signing key?"
          up={{ url: paths.keys, label: 'Signing keys' }}
        />
        <section class="panel panel-danger">
          <p>
            It can never sign again, and leaves the key set after a day. To sign with another key
            than the active one, you then have to publish one and wait until every app has fetched
            it.
          </p>
          <Form
            action={`${paths.keys}/retire`}
            formToken={props.viewer?.formToken ?? ''}
            hidden={{ kid }}
          >
            <ConfirmName name={kid} isWrong={isWrongName} nothing="Nothing was changed." />
            <div class="actions">
              <Button look="danger">Retire</Button>
              <ButtonLink look="plain" href={paths.keys}>
                Cancel
              </ButtonLink>
            </div>
          </Form>
        </section>
      </>
    ),
  })
}
