import { AppTile } from '../../../../foundation/html/app-tile.tsx'
import { Alert, Button, FormToken } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import type { PictureProblem } from '../../../../foundation/pictures/clean-picture.ts'
import { type AdminFrame, adminPage, applicationPath } from './admin-page.tsx'

const PROBLEMS: Record<PictureProblem | 'none' | 'too_large', string> = {
  none: 'Choose a picture first.',
  too_large: 'The picture is larger than 64 kB. Make it smaller and choose it again.',
  format: 'This is not a PNG, JPEG or WebP picture. Choose another.',
  broken: 'The picture is damaged. Choose another.',
  moving: 'The picture moves. Choose one that does not.',
  size: 'Choose a picture with sides of 16 to 4096 pixels.',
}

interface LogoProps {
  clientId: string
  name: string
  logoUrl: string | undefined
  formToken: string
}

export function LogoPanel({ clientId, name, logoUrl, formToken }: LogoProps) {
  return (
    <Panel
      title="Logo"
      lead="People see it when they are asked for consent, and at Connected apps."
    >
      <AppTile name={name} logoUrl={logoUrl} />
      <LogoForm clientId={clientId} formToken={formToken} />
      {logoUrl !== undefined && (
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
      )}
    </Panel>
  )
}

function LogoForm({ clientId, formToken }: Pick<LogoProps, 'clientId' | 'formToken'>) {
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
      <Button look="primary">Upload</Button>
    </form>
  )
}

interface LogoRefusedProps extends AdminFrame {
  clientId: string
  problem: keyof typeof PROBLEMS
}

export function logoRefusedPage(props: LogoRefusedProps): string {
  const { clientId, problem } = props
  return adminPage({
    ...props,
    here: applicationPath(clientId),
    title: 'Error: Logo',
    children: (
      <>
        <PageHead title="Logo" up={{ url: applicationPath(clientId), label: 'The application' }} />
        <Alert tone="error" title={PROBLEMS[problem]} />
        <Panel title="Try again">
          <LogoForm clientId={clientId} formToken={props.viewer?.formToken ?? ''} />
          <ButtonLink look="plain" href={applicationPath(clientId)}>
            Cancel
          </ButtonLink>
        </Panel>
      </>
    ),
  })
}
