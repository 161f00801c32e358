/// Finds the service of a call, and answers for `org.varlink.service`.
struct Router: Sendable {
  /// What becomes of a call.
  enum Route {
    case service(any Service)
    case answer(ReplyMessage)
  }

  private let info: ServiceInfo
  private let services: [String: any Service]
  private let interfaces: [String]
  private let standard: InterfaceDescription

  init(info: ServiceInfo, services: [any Service]) throws(InterfaceDescription.ParseError) {
    self.info = info
    standard = try InterfaceDescription(StandardInterface.text)
    self.services = Dictionary(services.map { ($0.interface.name, $0) }) { first, _ in first }
    interfaces = [standard.name] + services.map(\.interface.name)
  }

  /// - Throws: `ServiceError` where there is no such method or its parameters don't fit.
  func route(_ call: CallMessage) throws -> Route {
    guard let point = call.method.lastIndex(of: ".") else { throw ServiceError.interfaceNotFound(call.method) }
    let interfaceName = String(call.method[..<point])
    let service = services[interfaceName]
    guard let interface = interfaceName == standard.name ? standard : service?.interface else {
      throw ServiceError.interfaceNotFound(interfaceName)
    }
    guard let method = interface.method(named: String(call.method[call.method.index(after: point)...])) else {
      throw ServiceError.methodNotFound(call.method)
    }
    if call.upgrade { throw ServiceError.methodNotImplemented(call.method) }
    try interface.check(parameters: call.parameters, of: method)
    if let service { return .service(service) }
    if method.name == "GetInfo" {
      return .answer(
        ReplyMessage(
          parameters: try encodeJSON(
            StandardInterface.Info(
              vendor: info.vendor, product: info.product, version: info.version, url: info.url,
              interfaces: interfaces))))
    }
    let wanted = try decodeJSON(StandardInterface.DescriptionParameters.self, call.parameters).interface
    guard let description = wanted == standard.name ? standard : services[wanted]?.interface else {
      throw ServiceError.interfaceNotFound(wanted)
    }
    return .answer(
      ReplyMessage(parameters: try encodeJSON(StandardInterface.Description(description: description.text))))
  }
}
