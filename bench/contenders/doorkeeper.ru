# Doorkeeper as its guide installs it, on Rails in production. Tokens are stored as digests, and a refresh revokes
# the old refresh token at once, as in ours.
require 'rails'
require 'active_record/railtie'
require 'action_controller/railtie'
require 'doorkeeper'

class Bench < Rails::Application
  config.root = __dir__
  config.load_defaults 6.1
  config.eager_load = true
  config.cache_classes = true
  config.secret_key_base = 'bench' * 16
  config.hosts.clear
  # The level matters: without a file, lines would still be written, for nothing.
  config.logger = Logger.new(nil, level: :unknown)
end

Doorkeeper.configure do
  orm :active_record
  resource_owner_authenticator { raise 'the bench asks no person' }
  default_scopes :profile
  optional_scopes :email
  use_refresh_token
  hash_token_secrets
  access_token_expires_in 7200
end

Bench.initialize!

class User < ActiveRecord::Base; end

class MeController < ActionController::API
  before_action -> { doorkeeper_authorize! :profile }

  def show
    user = User.find(doorkeeper_token.resource_owner_id)
    render json: { sub: user.id.to_s, name: user.name, picture: user.picture, email: user.email, roles: user.roles }
  end
end

Bench.routes.draw do
  use_doorkeeper { skip_controllers :authorizations, :applications, :authorized_applications }
  get '/me', to: 'me#show'
end

run Bench
