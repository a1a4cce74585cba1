import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Alert, AppTile, Button, FormToken, Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import type { PictureProblem } from '../../../../foundation/pictures/clean-picture.ts'
import { type AdminFrame, adminPage, applicationPath } from './admin-page.tsx'

export type LogoProblem = PictureProblem | 'none' | 'too_large'

const PROBLEMS: Record<LogoProblem, string> = {
  none: 'Choose a picture first.',
  too_large: 'The picture is larger than 64 kB. Make it smaller and choose it again.',
  format: 'This is not a PNG, JPEG or WebP picture. Choose another.',
  broken: 'The picture is damaged. Choose another.',
  moving: 'The picture moves. Choose one that does not.',
  size: 'Choose a picture with sides of 16 to 4096 pixels.',
}

/** On the page of an application. The form is on a page of its own, because it asks for a proof before it takes a file. */
export function LogoPanel({ clientId, name, logoUrl }: ListedClient) {
  return (
    <Panel
      title="Logo"
      lead="People see it when they are asked for consent, and at Connected apps."
    >
      <AppTile name={name} logoUrl={logoUrl} />
      <div class="actions">
        <ButtonLink look="plain" href={applicationPath(clientId, '/logo')}>
          {logoUrl === undefined ? 'Add a logo…' : 'Change the logo…'}
        </ButtonLink>
      </div>
    </Panel>
  )
}

interface LogoProps extends AdminFrame {
  application: ListedClient
  problem?: LogoProblem | undefined
}

export function logoPage(props: LogoProps): string {
  const { application, problem } = props
  const { clientId, name, logoUrl } = application
  const formToken = props.viewer?.formToken ?? ''
  const back = applicationPath(clientId)
  return adminPage({
    ...props,
    here: back,
    title: problem === undefined ? 'Logo' : 'Error: Logo',
    children: (
      <>
        <PageHead
          title={
            <>
              Logo of <Name text={name} fallback={clientId} />
            </>
          }
          up={{ url: back, label: 'Back to the application' }}
        />
        {problem !== undefined && <Alert tone="error" title={PROBLEMS[problem]} />}
        <section class="panel" aria-label="Logo">
          <AppTile name={name} logoUrl={logoUrl} />
          <LogoForm clientId={clientId} formToken={formToken} />
        </section>
        {logoUrl !== undefined && (
          <Panel title="Remove" lead="People then see the first letter of the name.">
            <form
              method="post"
              action={applicationPath(clientId, '/logo')}
              encType="multipart/form-data"
            >
              <FormToken value={formToken} />
              <Button look="danger" name="remove" value="yes">
                Remove logo
              </Button>
            </form>
          </Panel>
        )}
      </>
    ),
  })
}

function LogoForm({ clientId, formToken }: { clientId: string; formToken: string }) {
  return (
    <form method="post" action={applicationPath(clientId, '/logo')} encType="multipart/form-data">
      <FormToken value={formToken} />
      <div class="field">
        <label for="picture">Choose a logo</label>
        <p id="picture-hint" class="field-hint">
          PNG, JPEG or WebP, at most 64 kB. A square fits best.
        </p>
        <input
          id="picture"
          type="file"
          name="picture"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby="picture-hint"
        />
      </div>
      <div class="actions">
        <Button look="primary">Upload</Button>
        <ButtonLink look="plain" href={applicationPath(clientId)}>
          Cancel
        </ButtonLink>
      </div>
    </form>
  )
}
