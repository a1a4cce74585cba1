=begin
# Ruby: oauth2

`auth_scheme: :request_body` sends the secret in the form. `resource` stands in the token URL, for the exchange and for refreshes.
The gem does not refresh by itself: call `refresh` if the token has expired, and store the new pair before you use it.
=end
require 'digest'
require 'oauth2'
require 'securerandom'
require 'uri'

module Recipe
  module_function

  def connect(app)
    resource = URI.encode_www_form_component(app['origin'])
    OAuth2::Client.new(
      app['clientId'], app['clientSecret'],
      site: app['origin'],
      authorize_url: '/oauth/authorize',
      token_url: "/api/oauth/token?resource=#{resource}",
      auth_scheme: :request_body
    )
  end

  # Keep the checks in the person's session and send the person to the address.
  def begin_sign_in(client, app)
    checks = { state: SecureRandom.urlsafe_base64(16), verifier: SecureRandom.urlsafe_base64(48) }
    challenge = Digest::SHA256.base64digest(checks[:verifier]).tr('+/', '-_').delete('=')
    url = client.auth_code.authorize_url(
      redirect_uri: app['redirectUri'], scope: 'profile account:read', resource: app['origin'],
      state: checks[:state], code_challenge: challenge, code_challenge_method: 'S256'
    )
    [url, checks]
  end

  def finish(client, app, callback, checks)
    answer = URI.decode_www_form(URI(callback).query).to_h
    raise 'not the answer to our request' unless answer['state'] == checks[:state]

    client.auth_code.get_token(
      answer['code'], redirect_uri: app['redirectUri'], code_verifier: checks[:verifier]
    )
  end

  def refresh(token)
    token.expired? ? token.refresh! : token
  end

  def sign_out(client, app, token)
    form = { client_id: app['clientId'], client_secret: app['clientSecret'], token: token.refresh_token }
    client.request(:post, '/api/oauth/revoke', body: form)
  end
end
