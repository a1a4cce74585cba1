import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  findLogo,
  LOGO_PATH,
  MOST_LOGO_BYTES,
  setLogo,
} from '../../../../domain/clients/application-details.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Alert, AppTile, Button, FormToken, Name } from '../../../../foundation/html/components.tsx'
import { FileField } from '../../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { cleanPicture, type PictureProblem } from '../../../../foundation/pictures/clean-picture.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { applicationPath } from '../../frame/paths.ts'
import { readPictureForm } from '../../frame/picture-form.ts'
import { requireRecentProof } from '../../frame/recent-proof.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { enterToChange, type OwnClients, type OwnClientVisit, routeOf } from './own-clients.tsx'

/** A picture in a sandbox. A new logo has a new address, so that browsers may keep it. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'content-disposition': 'attachment',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=86400, immutable',
} as const

export function addLogoRoutes(app: FastifyInstance, context: AppContext, own: OwnClients): void {
  const path = routeOf(own, '/logo')
  /**
   * A thief with an old session must not make one app look like another, to people who are asked
   * for consent.
   */
  const enterProven = async (request: FastifyRequest, reply: FastifyReply) => {
    const entered = await enterToChange(own, context, request, reply, '/logo')
    const page = applicationPath(entered.client.clientId, '/logo')
    requireRecentProof(request, entered.visit.session, page)
    return entered
  }
  const show = ({ visit, client }: OwnClientVisit, problem?: LogoProblem) => {
    const page = logoPage({ ...visit.frame(), application: client, problem })
    return visit.page(page, problem === undefined ? 200 : 422)
  }

  app.get(path, async (request, reply) => show(await enterProven(request, reply)))

  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(path, async (request, reply) => {
      const entered = await enterProven(request, reply)
      const { visit, client } = entered
      const page = applicationPath(client.clientId)
      const sent = await readPictureForm(visit, MOST_LOGO_BYTES)
      const by = visit.actor
      if (sent === 'remove') {
        await setLogo(request.schoolDb, by, client.clientId, undefined)
        return visit.goTo(`${page}?done=no-logo`)
      }
      const picture = typeof sent === 'string' ? sent : cleanLogo(sent)
      if (typeof picture === 'string') return show(entered, picture)
      await setLogo(request.schoolDb, by, client.clientId, picture)
      return visit.goTo(`${page}?done=logo`)
    })
  })
}

/** Cleaning can make a small picture larger: the orientation gets a segment of its own. */
function cleanLogo(bytes: Buffer) {
  const picture = cleanPicture(bytes)
  if (typeof picture === 'string') return picture
  return picture.bytes.length > MOST_LOGO_BYTES ? 'too_large' : picture
}

/** Logos of applications, for everyone: the consent page of a person shows them. */
export function addPublicLogoRoute(app: FastifyInstance): void {
  app.get(`${LOGO_PATH}:id`, async (request, reply) => {
    const { id } = request.params as { id: string }
    const logo = isUuid(id) ? await findLogo(request.schoolDb, id) : undefined
    if (logo === undefined) return reply.callNotFound()
    return reply.headers(HEADERS).header('content-type', logo.contentType).send(logo.bytes)
  })
}

type LogoProblem = PictureProblem | 'none' | 'too_large'

const PROBLEMS: Record<LogoProblem, string> = {
  none: 'Choose a picture first.',
  too_large: 'The picture is larger than 64 kB. Make it smaller and choose it again.',
  format: 'This is not a PNG, JPEG or WebP picture. Choose another.',
  broken: 'The picture is damaged. Choose another.',
  moving: 'The picture moves. Choose one that does not.',
  size: 'Choose a picture with sides of 16 to 4096 pixels.',
}

/**
 * On the page of an application. The form is on a page of its own, because it asks for a proof
 * before it takes a file.
 */
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
      <FileField
        name="picture"
        label="Choose a logo"
        hint="PNG, JPEG or WebP, at most 64 kB. A square fits best."
        accept="image/png,image/jpeg,image/webp"
      />
      <div class="actions">
        <Button look="primary">Upload</Button>
        <ButtonLink look="plain" href={applicationPath(clientId)}>
          Cancel
        </ButtonLink>
      </div>
    </form>
  )
}
