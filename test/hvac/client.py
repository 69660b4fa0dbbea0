"""The official client, step by step, with the vault dialect: configure, create, list, read, log in, renew, revoke."""

import json
import re
import sys
import urllib.parse
import urllib.request

import hvac

facts = open(sys.argv[1], encoding="utf-8").read()
env = dict(re.findall(r"^([A-Z_]+)=(.*)$", facts, re.M))
url = re.search(r"^server ready at (\S+)", facts, re.M)[1].rstrip(",")
passed = 0


def check(what, holds):
    global passed
    if not holds:
        print(f"failed: {what}", file=sys.stderr)
        print(f"{passed} passed, 1 failed")
        sys.exit(1)
    passed += 1


def metadata(path, **query):
    request = urllib.request.Request(
        f"{env['WEB_METADATA_URL']}/metadata/{path}?{urllib.parse.urlencode(query)}", headers={"Metadata": "true"}
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        return json.load(response)


admin = hvac.Client(url=url, token="root")
azure = admin.auth.azure
health = admin.sys.read_health_status(method="GET")
check("the server is healthy", health["initialized"] and not health["sealed"] and not health["standby"])
check("the method is enabled", "azure/" in admin.sys.list_auth_methods()["data"])
admin.sys.enable_auth_method("azure", path="second")
check("a second mount is enabled", "second/" in admin.sys.list_auth_methods()["data"])
admin.sys.tune_auth_method("second", default_lease_ttl=600, max_lease_ttl=1200)
check("its tuning is read back", admin.sys.read_auth_method_tuning("second")["data"]["default_lease_ttl"] == 600)
admin.sys.disable_auth_method("second")
check("it is disabled", "second/" not in admin.sys.list_auth_methods()["data"])

azure.configure(
    tenant_id=env["TENANT_ID"],
    resource=env["RESOURCE"],
    environment="AzurePublicCloud",
    client_id=env["CLIENT_ID"],
    client_secret=env["CLIENT_SECRET"],
)
config = azure.read_config()
check("the config is read", config["tenant_id"] == env["TENANT_ID"] and config["environment"] == "AzurePublicCloud")
check("without the secret", "client_secret" not in config)

azure.create_role(
    name="Web",
    policies=["web"],
    ttl="10m",
    max_ttl="1h",
    bound_subscription_ids=[env["SUBSCRIPTION_ID"]],
    bound_resource_groups=["demo"],
)
check("the role is listed", azure.list_roles()["keys"] == ["web"])
role = azure.read_role("web")
check("the role is read", role["token_policies"] == ["web"] and role["token_ttl"] == 600 and role["token_max_ttl"] == 3600)

jwt = metadata("identity/oauth2/token", **{"api-version": "2018-02-01", "resource": env["RESOURCE"]})["access_token"]
compute = metadata("instance", **{"api-version": "2021-12-13"})["compute"]
machine = hvac.Client(url=url)
names = {
    "subscription_id": compute["subscriptionId"],
    "resource_group_name": compute["resourceGroupName"],
}
login = machine.auth.azure.login(role="web", jwt=jwt, vm_name=compute["name"], **names)
check("the login gives the policies", login["auth"]["policies"] == ["default", "web"])
check("and the lease", login["auth"]["lease_duration"] == 600 and login["auth"]["renewable"])
check("the client is authenticated", machine.is_authenticated())
check("the token is looked up", machine.auth.token.lookup_self()["data"]["meta"]["vm_name"] == compute["name"])
renewed = machine.auth.token.renew_self()
check("the token is renewed", renewed["auth"]["lease_duration"] == 600)
try:
    machine.auth.azure.read_config()
    check("a machine cannot read the config", False)
except hvac.exceptions.Forbidden:
    check("a machine cannot read the config", True)
try:
    hvac.Client(url=url).auth.azure.login(role="web", jwt=jwt, vm_name="batch-1", **names)
    check("another machine's name is refused", False)
except hvac.exceptions.Forbidden as error:
    check("another machine's name is refused", "vm_name" in str(error))
machine.auth.token.revoke_self()
check("the token is revoked", not machine.is_authenticated())

azure.delete_role("web")
try:
    azure.read_role("web")
    check("the role is deleted", False)
except hvac.exceptions.InvalidPath:
    check("the role is deleted", True)
azure.delete_config()
try:
    azure.read_config()
    check("the config is deleted", False)
except hvac.exceptions.InvalidPath:
    check("the config is deleted", True)
print(f"{passed} passed, 0 failed")
